import type { Domain, Operation } from "../../contract.ts";

/** An operation with its place in the reference. Its aliases are shown with it and not listed separately. */
export interface ReferenceEntry {
  readonly operation: Operation;
  readonly area: string;
  readonly method: string;
  readonly path: string;
}

export interface ReferenceArea {
  readonly name: string;
  readonly summary: string;
  readonly entries: readonly ReferenceEntry[];
}

/** Lists the API areas with their operations, in domain order. */
export function listAreas(domains: readonly Domain[]): readonly ReferenceArea[] {
  const entries = domains.flatMap(({ name, tag, operations }) =>
    operations.map((operation): ReferenceEntry => {
      const [method = "", path = ""] = operation.route.split(" ");
      return { operation, area: tag ?? name, method, path };
    }),
  );
  const byArea = Map.groupBy(entries, ({ area }) => area);
  return domains
    .filter(({ name, tag }) => tag === undefined && byArea.has(name))
    .map(({ name, summary }) => ({ name, summary, entries: byArea.get(name) ?? [] }));
}

/** The areas with operations that contain all of the words. Without words, all areas. */
export function searchAreas(
  areas: readonly ReferenceArea[],
  query: string,
): readonly ReferenceArea[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return areas;
  return areas
    .map((area) => ({
      ...area,
      entries: area.entries.filter(({ operation: { id, summary, route } }) => {
        const text = `${area.name} ${id} ${summary} ${route}`.toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

type Json = Readonly<Record<string, unknown>>;

/** Reduces the OpenAPI description to one area and the components it needs, without aliases. */
export function narrowDescription(description: Json, area: string): Json {
  const paths = Object.entries(description["paths"] as Record<string, Json>).flatMap(
    ([path, methods]) => {
      const kept = Object.entries(methods).filter(([, value]) => {
        const { tags, "x-alias-of": alias } = value as { tags?: string[]; "x-alias-of"?: string };
        return tags?.includes(area) && alias === undefined;
      });
      return kept.length > 0 ? [[path, Object.fromEntries(kept)] as const] : [];
    },
  );
  const components = description["components"] as Components;
  const needed: Record<string, Record<string, unknown>> = {};
  collectComponents(paths, components, needed);
  const { securitySchemes } = components;
  return {
    ...description,
    tags: (description["tags"] as readonly { name: string }[]).filter(({ name }) => name === area),
    paths: Object.fromEntries(paths),
    components: { securitySchemes, ...needed },
  };
}

type Components = Readonly<Record<string, Json>>;

const COMPONENT_REF = /^#\/components\/(\w+)\/(.+)$/;

/** Copies the components that a part of the description references, recursively. */
function collectComponents(
  value: unknown,
  components: Components,
  needed: Record<string, Record<string, unknown>>,
): void {
  if (typeof value !== "object" || value === null) return;
  const { $ref } = value as { $ref?: unknown };
  const [, kind, name] = COMPONENT_REF.exec(typeof $ref === "string" ? $ref : "") ?? [];
  if (kind !== undefined && name !== undefined) {
    const ofKind = (needed[kind] ??= {});
    if (name in ofKind) return;
    ofKind[name] = components[kind]?.[name];
    collectComponents(ofKind[name], components, needed);
  }
  for (const part of Object.values(value)) collectComponents(part, components, needed);
}
