/**
 * What a workspace has, for the types of a builder. `millrace types` fills these in from the server's own schemas;
 * where it has not been run, every type of node is taken, and nothing is known of what it gives.
 */
import type { AnyRef, Ref, Reference, Templated, TemplateText } from "./reference.ts";

/** By the type of a node: `config`, `output`, `branches`. */
export interface NodeTypes {}
/** What expressions see as `trigger`, by the type of a trigger. */
export interface TriggerScopes {}
/** Records by the slug of their table. */
export interface Tables {}
/** The actions of connectors, by what a definition names them: `pack:connectors/<name>`. */
export interface Connectors {}
/** The names of secrets. */
export interface Secrets {}

/** All keys of what is filled in, or any text while nothing is. */
type KeyOf<T> = keyof T extends never ? string : keyof T & string;

export type NodeName = KeyOf<NodeTypes>;
export type SecretName = KeyOf<Secrets>;

interface NodeShape {
  readonly config: object;
  readonly output: unknown;
  readonly branches: string;
}

type ShapeOf<Type> = Type extends keyof NodeTypes ? NodeTypes[Type] & NodeShape : NodeShape;

export type ConfigOf<Type> = Type extends keyof NodeTypes
  ? ShapeOf<Type>["config"]
  : Readonly<Record<string, unknown>>;

/** What `when` of an edge from such a node may be. */
export type BranchOf<Type> = ShapeOf<Type>["branches"] | "error";

export type TriggerRef<Head> = Head extends { readonly triggers: readonly unknown[] }
  ? AnyRef
  : Head extends { readonly trigger: { readonly type: infer Type } }
    ? Type extends keyof TriggerScopes
      ? Ref<TriggerScopes[Type]>
      : AnyRef
    : AnyRef;

/** What a step gives, as far as its configuration tells. */
export type OutputOf<Type, Config> = Type extends "records"
  ? RecordsOutput<Config>
  : Type extends "set"
    ? Config extends { readonly values: infer Values }
      ? Resolved<Values>
      : unknown
    : Type extends "connector"
      ? ActionOf<Config>["output"]
      : Type extends keyof NodeTypes
        ? ShapeOf<Type>["output"]
        : unknown;

/** Nothing is known of what `AnyRef` stands for. */
type IfKnown<T> = [T] extends [never] ? unknown : T;

/** What a value is when its templates have become values. */
export type Resolved<Value> =
  Value extends Reference<infer T>
    ? IfKnown<T>
    : Value extends TemplateText
      ? unknown
      : Value extends string
        ? string
        : Value extends number
          ? number
          : Value extends boolean
            ? boolean
            : Value extends readonly (infer Item)[]
              ? readonly Resolved<Item>[]
              : Value extends object
                ? { readonly [Name in keyof Value]: Resolved<Value[Name]> }
                : Value;

type TableOf<Config> = Config extends { readonly table: infer Slug }
  ? Slug extends keyof Tables
    ? Tables[Slug]
    : Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>;

type RecordsOutput<Config> = Config extends { readonly operation: infer Operation }
  ? Operation extends "list"
    ? readonly TableOf<Config>[]
    : Operation extends "create" | "get" | "update"
      ? TableOf<Config>
      : Operation extends "upsert"
        ? {
            readonly created: number;
            readonly updated: number;
            readonly unchanged: number;
            readonly records: readonly TableOf<Config>[];
          }
        : Operation extends "query"
          ? readonly Readonly<Record<string, unknown>>[]
          : Operation extends "delete"
            ? null
            : unknown
  : unknown;

interface ActionShape {
  readonly input: unknown;
  readonly output: unknown;
}

type ActionOf<Config> = Config extends {
  readonly connectorId: infer Id;
  readonly action: infer Action;
}
  ? Id extends keyof Connectors
    ? Action extends keyof Connectors[Id]
      ? Connectors[Id][Action] & ActionShape
      : ActionShape
    : ActionShape
  : ActionShape;

/**
 * What a configuration must be beside what its schema says: no other fields, and columns and actions that are there.
 */
export type Checked<Type, Config> = {
  readonly [Name in Exclude<keyof Config, keyof ConfigOf<Type>>]: never;
} & (Type extends "records"
  ? CheckedRecords<Config>
  : Type extends "connector"
    ? CheckedAction<Config>
    : {});

type CheckedRecords<Config> = Config extends { readonly table: infer Slug }
  ? Slug extends keyof Tables
    ? Config extends { readonly data: infer Data }
      ? {
          readonly data: {
            readonly [Name in keyof Data]: Name extends keyof Tables[Slug] ? unknown : never;
          };
        }
      : {}
    : keyof Tables extends never
      ? {}
      : { readonly table: Templated<KeyOf<Tables>> }
  : {};

type CheckedAction<Config> = Config extends { readonly connectorId: infer Id }
  ? Id extends keyof Connectors
    ? Config extends { readonly action: infer Action }
      ? Action extends keyof Connectors[Id]
        ? { readonly input?: (Connectors[Id][Action] & ActionShape)["input"] }
        : { readonly action: keyof Connectors[Id] }
      : {}
    : {}
  : {};
