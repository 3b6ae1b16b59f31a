/** An ending of its steps may follow. */
const ID_CHARACTERS_MAX = 50;

/** The ids with other ones for nodes that a loop has once more: unique, however long the names of both are. */
export function copyIds(
  ids: ReadonlyMap<string, string>,
  loop: string,
  copied: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const made = new Map(ids);
  const used = new Set(ids.values());
  for (const name of copied) {
    const base = `${loop}_in_${ids.get(name) ?? ""}`;
    let id = base.slice(0, ID_CHARACTERS_MAX);
    for (let count = 2; used.has(id); count += 1)
      id = `${base.slice(0, ID_CHARACTERS_MAX - 3)}_${count}`;
    used.add(id);
    made.set(name, id);
  }
  return made;
}
