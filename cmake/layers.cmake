# Which folder may include which: one line per folder, read by CMake and by scripts/check_layers.py. hexapla_root()
# names the folder of src/ in which those that follow are, and the others that they may include. An #include names
# a file from there on, in lib from src/ on.
# Folders inside a layer form a staircase, too (scripts/check_layers.py). From the bottom up:
#   documents             its own files, xml, html, tags, one folder per kind of format, formats
#   documents/office      archive, parts, its own files
#   decode                options, steps, constraints, strategies, search, lines, rescoring, text, live, trace, augment, opened
#   train                 shards, plan, record, feed, measure, loop, automatic; plan/options below plan, loop/run below loop
#   serve                 http, look, languages, files, glossaries, work, its own files, routes
set(HEXAPLA_APART_backend reference cpu opencl device)  # layers of their own
set(HEXAPLA_APART_backend_cpu kernels)          # compiled once per instruction set: src/core/backend/cpu/layer.cmake
set(HEXAPLA_APART_train cluster)
set(HEXAPLA_APART_train_cluster mpi)            # linked by the program only
set(HEXAPLA_APART_lib program)                  # jobs of the program alone, outside of the library
set(HEXAPLA_APART_decode opened)                # needs a device, which the rest of decode does not

# Targets that are not named after their folder.
set(HEXAPLA_NAME_lib api)
set(HEXAPLA_NAME_lib_program api_program)
set(HEXAPLA_NAME_documents text_document)

hexapla_root(core)
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
hexapla_layer(train               base train/cluster tensor backend ops model text data decode evaluate)

hexapla_root(plugins core)
hexapla_plugin(opencl             base tensor backend backend/opencl)  # a shared object that the program opens
hexapla_plugin(mpi                base train/cluster train/cluster/mpi)  # a shared object that the program opens
hexapla_layer(convert             base tensor backend backend/reference ops model text data decode)
hexapla_layer(documents           base text)

hexapla_root(school core)
hexapla_layer(inspect             base tensor backend ops model text data evaluate decode decode/opened)
hexapla_layer(lab                 base tensor backend backend/cpu backend/opencl backend/device ops model text data evaluate decode decode/opened train inspect)

hexapla_root(lib core plugins school)
hexapla_layer(lib                 base train/cluster tensor backend backend/cpu backend/opencl backend/device ops model text data evaluate decode decode/opened convert train inspect documents)
hexapla_layer(lib/program         base train/cluster train/cluster/mpi tensor backend backend/reference backend/cpu backend/opencl backend/device ops model text data evaluate decode decode/opened train inspect lab lib)

hexapla_root(apps core plugins lib)
hexapla_layer(serve               base text data documents lib)
hexapla_layer(cli                 base lib lib/program serve)
