# Bash completion for the engine's command line.
_stretto() {
    local word=${COMP_WORDS[COMP_CWORD]}
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = --lab ]; }; then
        mapfile -t COMPREPLY < <(compgen -W "bench perft speedtest genfens tunables switches --lab --help --version" -- "$word")
    elif [ "${COMP_WORDS[1]}" = genfens ]; then
        case ${COMP_WORDS[COMP_CWORD - 1]} in
        book) mapfile -t COMPREPLY < <(compgen -f -W "None" -- "$word") ;;
        variant) mapfile -t COMPREPLY < <(compgen -W "standard chess960 double" -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "seed book variant plies limit nodes" -- "$word") ;;
        esac
    fi
}
complete -F _stretto stretto
