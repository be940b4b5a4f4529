#include "serve/routes/routes.h"

namespace hexapla::serve {

void add_routes(Service& service) {
  Router& router = service.router();
  add_libre_routes(router, service);
  add_file_routes(router, service);
  add_native_routes(router, service);
  add_look_routes(router, service);
  add_deepl_routes(router, service);
  add_document_routes(router, service);
  add_glossary_routes(router, service);
  add_operation_routes(router, service);
}

}  // namespace hexapla::serve
