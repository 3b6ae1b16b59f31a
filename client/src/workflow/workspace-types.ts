/**
 * The types of a workspace for the builder. `millrace types` extends these interfaces from the server's schemas.
 * Without it, every node type is accepted and outputs are unknown.
 */
import type { AnyRef, Ref, Reference, Templated, TemplateText } from "./reference.ts";

/** By node type: `config`, `output`, `branches`. */
export interface NodeTypes {}
/** The type of `trigger` in expressions, by trigger type. */
export interface TriggerScopes {}
/** Record types by table slug. */
export interface Tables {}
/** The actions of connectors by their reference in a definition: `pack:connectors/<name>`. */
export interface Connectors {}
/** The names of secrets. */
export interface Secrets {}

/** The keys of an extended interface, or any text if it is empty. */
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

/** The valid values of `when` for edges from such a node. */
export type BranchOf<Type> = ShapeOf<Type>["branches"] | "error";

export type TriggerRef<Head> = Head extends { readonly triggers: readonly unknown[] }
  ? AnyRef
  : Head extends { readonly trigger: { readonly type: infer Type } }
    ? Type extends keyof TriggerScopes
      ? Ref<TriggerScopes[Type]>
      : AnyRef
    : AnyRef;

/** The output type of a step, as far as its configuration determines it. */
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

/** The target type of `AnyRef` is unknown. */
type IfKnown<T> = [T] extends [never] ? unknown : T;

/** The type of a value after its templates are evaluated. */
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

/** Additional type checks of a configuration: no unknown fields, and only existing columns and actions. */
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
