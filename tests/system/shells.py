"""What shells complete when TAB is pressed at the end of a line, by a completion script."""
import os
import pty
import subprocess
import tempfile
from pathlib import Path

from sotto_binary import read_terminal

# Completes the last of the words that it is given: one answer per line.
BASH = """
function=$1; . "$2"; shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
$function "$1"
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""

# An interactive zsh that completes each line in place of a prompt, records what is added to its
# answers, and ends.
ZSH = r"""
autoload -Uz compinit && compinit -D -u
source "$SCRIPT"
compadd()
{
    local -a matches
    builtin compadd "$@"
    local code=$?
    if [[ " ${(j: :)@[1,(i)(-|--)]}" != *\ -[OAD]* ]]; then
        builtin compadd -A matches "$@"
        found+=("${(@)matches}")
    fi
    return $code
}
complete-line()
{
    _main_complete
    compstate[insert]= compstate[list]=
}
zle -C complete-line complete-word complete-line
zle-line-init()
{
    local -a found
    for BUFFER in "${(@f)TYPED}"; do
        CURSOR=$#BUFFER found=()
        zle complete-line
        print -r -- "${(pj:\t:)found}" >> "$ANSWERS"
    done
    BUFFER=exit
    zle accept-line
}
zle -N zle-line-init
"""


# The scripts ask the programs; a sanitizer that is not told to ignore leaks searches for them at every start.
SETTINGS = {"PATH": os.pathsep.join([*{os.path.dirname(os.environ[name]) for name in ("SOTTO", "SOTTOD") if name in os.environ},
                                     os.environ["PATH"]]),
            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}


def run(words, directory):
    result = subprocess.run(words, cwd=directory, capture_output=True, text=True, timeout=60,
                            env={**os.environ, **SETTINGS, "HOME": str(directory)})
    if (result.returncode, result.stderr) != (0, ""):
        raise AssertionError(result)
    return result.stdout.splitlines()


def bash(script, function, words, directory):
    """The answers of a function of the script, in order."""
    return run(["bash", "-c", BASH, "bash", function, script, *words], directory)


def fish(script, line, directory):
    rows = run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], directory)
    return {row.split("\t")[0] for row in rows}


def zsh(script, lines, directory):
    """The answers to each line, by one shell on its own terminal."""
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / ".zshrc").write_text(ZSH)
        answers = Path(home) / "answers"
        settings = {**SETTINGS, "HOME": home, "ZDOTDIR": home, "TERM": "xterm", "SCRIPT": str(script),
                    "TYPED": "\n".join(lines), "ANSWERS": str(answers)}
        ours, theirs = pty.openpty()
        shell = subprocess.Popen(["zsh", "-d", "-i"], cwd=directory, env=settings, stdin=theirs, stdout=theirs,
                                 stderr=theirs, start_new_session=True)
        os.close(theirs)
        shown = read_terminal(ours)
        rows = answers.read_text().splitlines() if answers.exists() else []
        if shell.wait(timeout=60) != 0 or len(rows) != len(lines):
            raise AssertionError(shown.decode(errors="replace"))
        return [set(row.split("\t")) - {""} for row in rows]
