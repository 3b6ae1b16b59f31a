/**
 * Names instead of ids. Folders and fixtures contain names, so that they are valid on every installation. Fields that
 * require an id format get an id derived from the name.
 */
import type { Static } from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import type { PackContent } from "#kernel/contributions/pack-content.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { mapJson } from "#kernel/schema/map-json.ts";
import { PACK_ITEMS_MAX } from "../descriptor.ts";
import { listContentTypes } from "../pack-items.ts";
import { type ProjectExport, TooManyItems } from "./project.ts";

/** A read in the environment of a kind's items. */
export type ReadIn = <T>(environmentScoped: boolean, work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Workspace-wide items are stored in production, independent of the request's environment. */
export function openReads({ db }: Platform, caller: Caller): ReadIn {
  const partition = partitionOfCaller(caller);
  return (environmentScoped, work) =>
    db.read(environmentScoped ? partition : { ...partition, environment: "production" }, work);
}

/** An item of the workspace in folder format, without resolved references. */
export interface NamedItem {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly content: object;
}

/** All items of some kinds that the caller can read. */
export async function listItems(
  context: Pick<ReadContext, "services" | "caller">,
  types: readonly PackContent[],
  readIn: ReadIn,
): Promise<NamedItem[]> {
  const found: NamedItem[] = [];
  for (const type of types) {
    for (const { id, content } of await readKind(context, type, readIn)) {
      found.push({ id, kind: type.kind, key: type.keyOf(content as never), content });
    }
    if (found.length > PACK_ITEMS_MAX) throw new Failure(TooManyItems);
  }
  return found;
}

/** All items of these kinds as content, with references instead of ids. */
export async function exportProject(
  context: Pick<ReadContext, "services" | "caller">,
  kinds: readonly string[] | undefined,
  readIn: ReadIn,
): Promise<Static<typeof ProjectExport>> {
  const isAsked = ({ kind }: { readonly kind: string }): boolean =>
    kinds === undefined || kinds.includes(kind);
  const { types, readable } = listSources(context);
  const found = await listItems(context, readable.filter(isAsked), readIn);
  const references = toReferences(found);
  const items: Record<string, unknown[]> = {};
  for (const { kind, content } of found.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    (items[kind] ??= []).push(replaceTexts(content, references));
  }
  const leftOut = types.filter((type) => isAsked(type) && !readable.includes(type));
  return { items, leftOut: leftOut.map(({ kind }) => kind) };
}

/** The exportable kinds that the caller can read. */
export function listSources({ services, caller }: Pick<ReadContext, "services" | "caller">) {
  const types = listContentTypes(services).filter(({ source }) => source);
  const readable = types.filter(({ permission }) => caller.permissions.has(permission.name));
  return { types, readable };
}

/** The references by id. */
export function toReferences(items: readonly NamedItem[]): ReadonlyMap<string, string> {
  return new Map(items.map(({ id, kind, key }) => [id, `pack:${kind}/${key}`]));
}

/** Replaces texts in JSON by a map. */
export function replaceTexts<T>(json: T, texts: ReadonlyMap<string, string>): T {
  const replace = (leaf: unknown) => (typeof leaf === "string" ? (texts.get(leaf) ?? leaf) : leaf);
  return mapJson(json, replace) as T;
}

const REFERENCE = /^pack:([a-z_]+)\/(.+)$/;
/** Kinds whose id format is validated. */
const PREFIXES: Readonly<Record<string, string>> = { workflows: "wf", connectors: "con" };

/** Assigns a deterministic id to every reference in JSON, with mappings in both directions. */
export class StandInIds {
  readonly #references = new Map<string, string>();
  readonly #known: ReadonlyMap<string, string>;

  /** `known` contains the references of ids that can be used directly. */
  constructor(known: ReadonlyMap<string, string>) {
    this.#known = known;
  }

  enter<T>(json: T): T {
    return mapJson(json, (leaf) => {
      const text = typeof leaf === "string" ? (this.#known.get(leaf) ?? leaf) : undefined;
      const [, kind = ""] = (text !== undefined && REFERENCE.exec(text)) || [];
      if (text === undefined || kind === "") return leaf;
      const id = `${PREFIXES[kind] ?? "ref"}_0${sha256(text).toString("hex").slice(0, 25)}`;
      this.#references.set(id, text);
      return id;
    }) as T;
  }

  leave<T>(json: T): T {
    return replaceTexts(json, this.#references);
  }
}

function readKind(
  context: Pick<ReadContext, "services" | "caller">,
  { source, environmentScoped }: PackContent,
  readIn: ReadIn,
): Promise<readonly { readonly id: string; readonly content: object }[]> {
  return readIn(environmentScoped, async (tx) => {
    const ctx = { ...context, tx };
    const ids = (await source?.list(ctx, PACK_ITEMS_MAX + 1)) ?? [];
    const found: { readonly id: string; readonly content: object }[] = [];
    for (const id of ids) {
      const content = await source?.toContent(ctx, id);
      if (content) found.push({ id, content });
    }
    return found;
  });
}
