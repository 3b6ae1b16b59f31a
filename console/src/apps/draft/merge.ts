/** Merges two users' changes of one app. Pages, data sources and settings are each taken as a whole. */
import type { Draft } from "./draft.ts";

export interface Merge {
  readonly draft: Draft;
  /** Parts that both users changed differently: mine are kept. */
  readonly clashes: readonly string[];
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

interface Part {
  readonly id?: string;
}

export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): Merge {
  const clashes: string[] = [];
  const pick = <T>(parts: { base: T; mine: T; theirs: T }, name: string): T => {
    if (isSame(parts.mine, parts.base)) return parts.theirs;
    if (!isSame(parts.theirs, parts.base) && !isSame(parts.theirs, parts.mine)) clashes.push(name);
    return parts.mine;
  };
  const field = <K extends keyof Draft>(key: K, name: string): Draft[K] =>
    pick({ base: base[key], mine: mine[key], theirs: theirs[key] }, name);
  const list = <T extends Part>(
    all: readonly [readonly T[], readonly T[], readonly T[]],
    nameOf: (part: T) => string,
  ): T[] => {
    const [old, own, other] = all;
    const find = (items: readonly T[], id: string | undefined): T | undefined =>
      id === undefined ? undefined : items.find((one) => one.id === id);
    const kept = own.flatMap((part): T[] => {
      const before = find(old, part.id);
      if (!before) return [part];
      const after = find(other, part.id);
      // Deleted by the other user: remove it unless it was changed here.
      if (!after) return isSame(part, before) ? [] : [part];
      return [pick({ base: before, mine: part, theirs: after }, nameOf(part))];
    });
    const added = other.filter((part) => !find(old, part.id) && !find(own, part.id));
    return [...kept, ...added];
  };
  return {
    draft: {
      name: field("name", "name"),
      slug: field("slug", "URL path"),
      description: field("description", "description"),
      theme: field("theme", "theme"),
      pages: list([base.pages, mine.pages, theirs.pages], ({ title }) => `page ${title}`),
      dataSources: list(
        [base.dataSources, mine.dataSources, theirs.dataSources],
        ({ name }) => `data source ${name}`,
      ),
    },
    clashes,
  };
}
