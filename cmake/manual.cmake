# Manual pages and completion, which the program writes from the declarations of its options.
if(CMAKE_CROSSCOMPILING)
  return()  # it does not run here
endif()
set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
add_custom_command(TARGET hexapla_program POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/completion
  COMMAND hexapla_program man --all ${manual}/man1
  COMMAND hexapla_program completion bash > ${manual}/completion/hexapla
  COMMAND hexapla_program completion zsh > ${manual}/completion/_hexapla
  COMMAND hexapla_program completion fish > ${manual}/completion/hexapla.fish
  VERBATIM)
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${manual}/completion/hexapla DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual}/completion/_hexapla DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${manual}/completion/hexapla.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
