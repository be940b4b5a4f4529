# Who may include whom: one line a folder of src/, read by CMake and by scripts/check_layers.py.
#             folder              may include
set(HEXAPLA_APART_backend reference cpu)      # layers of their own
set(HEXAPLA_APART_backend_cpu kernels)         # compiled once for each instruction set: src/backend/cpu/layer.cmake
hexapla_layer(base                )
hexapla_layer(tensor              base)
hexapla_layer(backend             base tensor)
hexapla_layer(backend/reference   base tensor backend)
hexapla_layer(backend/cpu         base tensor backend)
hexapla_layer(ops                 base tensor backend)
hexapla_layer(model               base tensor backend ops)
hexapla_layer(text                base)
hexapla_layer(data                base text)
hexapla_layer(curate              base text data)
hexapla_layer(evaluate            base)
hexapla_layer(decode              base tensor backend ops model text data)
hexapla_layer(train               base tensor backend ops model text data decode evaluate)
hexapla_layer(quantize            base tensor backend ops model)
hexapla_layer(inspect             base tensor backend ops model text data decode train)
hexapla_layer(models              base tensor backend backend/cpu ops model text data decode)
hexapla_layer(report              base tensor model text data curate evaluate decode inspect models)
hexapla_layer(lab                 base tensor backend backend/cpu ops model text data evaluate decode train inspect models report)
hexapla_layer(api                 base tensor backend backend/cpu ops model text data curate evaluate decode train quantize inspect models report)
hexapla_layer(cli                 base tensor backend backend/reference backend/cpu ops model text data curate evaluate decode train quantize inspect models report lab api)
