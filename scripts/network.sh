#!/usr/bin/env bash
# Usage: network.sh WORKSHOP RECIPES GENERATIONS
# Repeats the training of the network: for each generation the games (RECIPES/gN*-games.yaml), then the network on them
# (RECIPES/gN-train.yaml), with the endgame tables that it asks for. Runs are kept in results/runs of the working directory. A finished
# run is skipped and an interrupted one continued, so the same command resumes.
set -euo pipefail
if [ $# -ne 3 ]; then
    echo "usage: network.sh WORKSHOP RECIPES GENERATIONS" >&2
    exit 2
fi
workshop=$1 recipes=$2 generations=$3

# Starts, continues or skips the run of a recipe.
run() {
    local kind=$1 recipe=$2 id folder
    id=$(basename "$recipe" .yaml)
    id=${id%-*}
    folder=results/runs/$kind-$id
    if [ -e "$folder/manifest.yaml" ]; then
        "$workshop" "$kind" --resume "$folder"
    else
        "$workshop" "$kind" "$recipe" --run-id "$id"
    fi
}

for ((generation = 1; generation <= generations; generation++)); do
    train=$recipes/g$generation-train.yaml
    if [ ! -e "$train" ]; then
        echo "network.sh: no recipe $train" >&2
        exit 1
    fi
    for games in "$recipes/g$generation"-games.yaml "$recipes/g$generation"-*-games.yaml; do
        if [ -e "$games" ]; then run datagen "$games"; fi
    done
    # In a folder of its own: the run is resumed only with the same tables.
    if grep -q '^tables:' "$train"; then "$workshop" tb generate KRPvKR --out "results/runs/tables-g$generation"; fi
    run train "$train"
done
echo "the network is results/runs/train-g$generations/stretto.network; embed it with EVALFILE=results/runs/train-g$generations/stretto.network make"
