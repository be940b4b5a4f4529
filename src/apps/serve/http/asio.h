#pragma once
// Boost.Asio, which takes long to compile: only the files of server, session and last_resort include it.
#include <utility>  // missing in boost/asio.hpp of 1.74
// Boost 1.74 does not see that Clang has the coroutines of C++20.
#ifdef __clang__
#define BOOST_ASIO_HAS_CO_AWAIT 1
#define BOOST_ASIO_HAS_STD_COROUTINE 1
#endif
// clang-format off
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
// clang-format on
#include <chrono>

namespace hexapla::serve {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using boost::system::error_code;
using Socket = asio::generic::stream_protocol::socket;
using Milliseconds = std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

}  // namespace hexapla::serve
