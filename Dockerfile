# docker build -t hexapla . && docker run --rm -i -v "$PWD:/data" -w /data --user "$(id -u)" hexapla translate -m run < text
# A server: docker run -p 5000:5000 -v "$PWD:/data:ro" -w /data hexapla serve -m en-de=run --host ::
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git python3 && rm -rf /var/lib/apt/lists/*
COPY . /hexapla
WORKDIR /hexapla
RUN scripts/install_dependencies.sh \
 && cmake --preset release -DHEXAPLA_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
 && cmake --build build/release -j "$(nproc)" \
 && DESTDIR=/installed cmake --install build/release --strip \
 && mkdir -p /installed/usr/share/doc/hexapla \
 && scripts/sbom.py build/release > /installed/usr/share/doc/hexapla/hexapla.cdx.json

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    libcld2-0 libcmark-gfm0.29.0.gfm.6 libcmark-gfm-extensions0.29.0.gfm.6 libdnnl2 libexpat1 libfmt9 libgomp1 libgumbo1 liblzma5 libre2-9 libsentencepiece0 libssl3 libutf8proc2 libxxhash0 libyaml-cpp0.7 libzip4 libzstd1 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 1000 --create-home hexapla
COPY --from=build /installed/usr /usr
USER hexapla
ENTRYPOINT ["hexapla"]
# A server is healthy when it answers at port 5000 (give another to the check with --health-cmd); other commands always are.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["bash", "-c", "! grep -qz '^serve$' /proc/1/cmdline || { exec 3<>/dev/tcp/127.0.0.1/5000 && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q ' 200 ' <&3; }"]
