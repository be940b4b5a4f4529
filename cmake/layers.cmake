# Which folder of src/ may include which: one line per folder, read by CMake and by scripts/check_layers.py.
# Folders inside a layer form a staircase, too (scripts/check_layers.py). From the bottom up:
#   text/document          its own files, xml, html, tags, one folder per kind of format, formats
#   text/document/office   archive, parts, its own files
#   decode                 options, steps, constraints, strategies, search, lines, rescoring, text, live, trace, augment, opened
#   train                  shards, plan, record, feed, measure, loop; plan/options below plan, loop/run below loop
#   serve                  http, look, languages, files, glossaries, work, its own files, routes
#             folder              may include
set(HEXAPLA_APART_backend reference cpu opencl device)  # layers of their own
set(HEXAPLA_APART_backend_cpu kernels)         # compiled once per instruction set: src/backend/cpu/layer.cmake
set(HEXAPLA_APART_backend_opencl plugin)      # a shared object that the program opens
set(HEXAPLA_APART_train cluster tune)
set(HEXAPLA_APART_train_cluster mpi)          # linked by the program only
set(HEXAPLA_APART_train_cluster_mpi plugin)   # a shared object that the program opens
set(HEXAPLA_APART_text document)
set(HEXAPLA_APART_api program)                # jobs of the program alone, outside of the library
set(HEXAPLA_APART_decode opened)              # needs a device, which the rest of decode does not
hexapla_layer(base                )
hexapla_layer(tensor              base)
hexapla_layer(backend             base tensor)
hexapla_layer(backend/reference   base tensor backend)
hexapla_layer(backend/cpu         base tensor backend)
hexapla_layer(backend/opencl      base tensor backend)
hexapla_layer(backend/device      base tensor backend backend/cpu backend/opencl)
hexapla_layer(ops                 base tensor backend)
hexapla_layer(train/cluster       base)
hexapla_layer(train/cluster/mpi   base train/cluster)
hexapla_layer(model               base tensor backend ops)
hexapla_layer(text                base)
hexapla_layer(data                base text)
hexapla_layer(evaluate            base)
hexapla_layer(decode              base tensor backend ops model text data)
hexapla_layer(decode/opened       base tensor backend backend/cpu backend/opencl backend/device ops model text data decode)
hexapla_layer(convert             base tensor backend backend/reference ops model text data decode)
hexapla_layer(inspect             base tensor backend ops model text data evaluate decode decode/opened)
hexapla_layer(train               base train/cluster tensor backend ops model text data decode evaluate)
hexapla_layer(lab                 base tensor backend backend/cpu backend/opencl backend/device ops model text data evaluate decode decode/opened train inspect)
hexapla_layer(train/tune          base tensor backend backend/cpu backend/opencl backend/device ops model text data evaluate decode decode/opened train inspect)
hexapla_layer(text/document       base text)
hexapla_layer(api                 base train/cluster tensor backend backend/cpu backend/opencl backend/device ops model text data evaluate decode decode/opened convert train inspect text/document)
hexapla_layer(serve               base text data text/document api)
hexapla_layer(api/program         base train/cluster train/cluster/mpi tensor backend backend/reference backend/cpu backend/opencl backend/device ops model text data evaluate decode decode/opened train inspect lab train/tune api)
hexapla_layer(cli                 base api api/program serve)
