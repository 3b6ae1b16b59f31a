/** Describes the differences between two versions of an app, before publishing. */
import { childrenOf, type Component, type Draft } from "./draft.ts";
import { describeComponent } from "./words.ts";

export interface Change {
  readonly kind: "added" | "removed" | "changed";
  readonly what: string;
  /** The fields that differ. */
  readonly fields: readonly string[];
  /** The current position. */
  readonly at: string | undefined;
}

type Parts = Pick<Draft, "name" | "theme" | "pages" | "dataSources">;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export function compareApps(before: Parts, after: Parts): readonly Change[] {
  const settings = (["name", "theme"] as const).filter((key) => !isSame(before[key], after[key]));
  return [
    ...(settings.length > 0
      ? [{ kind: "changed", what: "App settings", fields: settings, at: "" } as const]
      : []),
    ...comparePages(before, after),
    ...compareLists(before.dataSources, after.dataSources, {
      base: "/dataSources",
      nameOf: ({ name }) => `Data source ${name}`,
    }),
  ];
}

function comparePages(before: Parts, after: Parts): Change[] {
  const old = new Map(before.pages.map((page) => [page.id ?? page.path, page]));
  const now = new Set(after.pages.map((page) => page.id ?? page.path));
  return [
    ...after.pages.flatMap((page, n): Change[] => {
      const at = `/pages/${n}`;
      const former = old.get(page.id ?? page.path);
      if (!former) return [{ kind: "added", what: `Page ${page.title}`, fields: [], at }];
      const fields = (["title", "path", "menu"] as const).filter(
        (key) => !isSame(former[key], page[key]),
      );
      const own: Change[] =
        fields.length > 0 ? [{ kind: "changed", what: `Page ${page.title}`, fields, at }] : [];
      const list = `${at}/components`;
      return [
        ...own,
        ...compareComponents(former.components, page.components, { list, page: page.title }),
      ];
    }),
    ...before.pages
      .filter((page) => !now.has(page.id ?? page.path))
      .map(({ title }): Change => ({
        kind: "removed",
        what: `Page ${title}`,
        fields: [],
        at: undefined,
      })),
  ];
}

interface Where {
  readonly list: string;
  readonly page: string;
}

/** Pairs equal components first, then by id or type in order; the remaining ones were added or removed. */
function compareComponents(
  before: readonly Component[],
  after: readonly Component[],
  where: Where,
): Change[] {
  const left = [...before];
  const take = (match: (one: Component) => boolean): Component | undefined => {
    const n = left.findIndex(match);
    return n < 0 ? undefined : left.splice(n, 1)[0];
  };
  const same = new Set(after.filter((one) => take((old) => isSame(old, one))));
  const changes = after.flatMap((one, n): Change[] => {
    if (same.has(one)) return [];
    const at = `${where.list}/${n}`;
    const what = `${describeComponent(one)} on ${where.page}`;
    const former =
      take((old) => one.id !== undefined && old.id === one.id) ??
      take((old) => old.type === one.type);
    if (!former) return [{ kind: "added", what, fields: [], at }];
    const fields = fieldsOf(former, one);
    const own: Change[] = fields.length > 0 ? [{ kind: "changed", what, fields, at }] : [];
    return [...own, ...compareChildren(former, one, { ...where, list: at })];
  });
  const gone = left.map((one): Change => ({
    kind: "removed",
    what: `${describeComponent(one)} on ${where.page}`,
    fields: [],
    at: undefined,
  }));
  return [...changes, ...gone];
}

function compareChildren(before: Component, after: Component, where: Where): Change[] {
  const [old, now] = [childrenOf(before), childrenOf(after)];
  const length = Math.max(old.length, now.length);
  return Array.from({ length }).flatMap((_, n) =>
    compareComponents(old[n]?.components ?? [], now[n]?.components ?? [], {
      ...where,
      list: where.list + (now[n]?.pointer ?? ""),
    }),
  );
}

const CONTAINED = new Set(["components", "tabs"]);

function fieldsOf(before: Component, after: Component): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => {
    const isContainer = CONTAINED.has(name) || (name === "columns" && after.type === "columns");
    return !isContainer && !isSame(before[name], after[name]);
  });
}

function compareLists<T extends { readonly id?: string; readonly name: string }>(
  before: readonly T[],
  after: readonly T[],
  { base, nameOf }: { readonly base: string; readonly nameOf: (part: T) => string },
): Change[] {
  const find = (items: readonly T[], part: T): T | undefined =>
    items.find((one) => (part.id === undefined ? one.name === part.name : one.id === part.id));
  return [
    ...after.flatMap((part, n): Change[] => {
      const at = `${base}/${n}`;
      const former = find(before, part);
      if (!former) return [{ kind: "added", what: nameOf(part), fields: [], at }];
      const fields = Object.keys({ ...former, ...part }).filter(
        (key) => key !== "id" && !isSame(former[key as keyof T], part[key as keyof T]),
      );
      return fields.length === 0 ? [] : [{ kind: "changed", what: nameOf(part), fields, at }];
    }),
    ...before
      .filter((part) => !find(after, part))
      .map((part): Change => ({ kind: "removed", what: nameOf(part), fields: [], at: undefined })),
  ];
}
