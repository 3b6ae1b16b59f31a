/**
 * The archive of a workspace: one file, written and read sequentially. After a line with the format name come frames,
 * each with a JSON head and separately compressed content. A head contains the length and the SHA-256 of its content,
 * and the last frame the hash of everything before it. The archive contains no paths.
 */
import Type, { type Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";

export const MAGIC = "millrace workspace 1\n";

/** The maximum size of a head, which contains at most the column names of a table. */
export const HEAD_BYTES_MAX = 65_536;
/** The maximum content of a frame, compressed or not, larger than any row. */
export const CONTENT_BYTES_MAX = 64 * 1_048_576;
/** A frame of rows ends with the row that reaches this size. */
export const ROWS_BYTES = 4 * 1_048_576;

const Name = Type.String({ pattern: "^[a-z_][a-z0-9_-]{0,62}$" });
const Count = Type.Integer({ minimum: 0 });
const Hex = Type.String({ pattern: "^[0-9a-f]{64}$" });
const Base64 = Type.String({ maxLength: 4_096 });
const common = {
  bytes: Type.Integer({ minimum: 0, maximum: CONTENT_BYTES_MAX }),
  packed: Type.Integer({ minimum: 0, maximum: CONTENT_BYTES_MAX }),
  sha256: Hex,
};

export const Manifest = object({
  product: Type.String({ maxLength: 100 }),
  /** The schema version of the rows. */
  schema: object({ last: Type.String({ maxLength: 200 }), sha256: Hex }),
  workspace: object({
    key: Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" }),
    slug: Type.String({ pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" }),
    name: Type.String({ maxLength: 100 }),
  }),
  exportedAt: Type.String({ maxLength: 40 }),
  /** The highest epoch of its log. */
  epoch: Type.Integer({ minimum: 0, maximum: 1_023 }),
  /** The workspace's data key, encrypted with a passphrase. Null if the archive contains no sealed values. */
  secrets: Type.Union([object({ salt: Base64, wrapped: Base64 }), Type.Null()]),
});
export type Manifest = Static<typeof Manifest>;

/** Users by e-mail address. */
export const Person = object({
  id: Type.String({ pattern: "^usr_[0-9a-hjkmnp-tv-z]{26}$" }),
  email: Type.String({ minLength: 3, maxLength: 320 }),
  name: Type.String({ maxLength: 200 }),
  status: Type.String({ maxLength: 20 }),
  /** True for an account created by the workspace's own identity provider. */
  own: Type.Boolean(),
});
export type Person = Static<typeof Person>;

const Parts = Type.Array(object({ name: Type.String({ maxLength: 200 }), rows: Count }), {
  maxItems: 10_000,
});

export const Head = Type.Union([
  object({ kind: Type.Literal("manifest"), ...common }),
  object({ kind: Type.Literal("people"), ...common }),
  object({
    kind: Type.Literal("rows"),
    table: Name,
    /** Set for a user table. */
    environment: Type.Optional(Type.Enum(["production", "staging", "development"])),
    columns: Type.Array(Type.String({ maxLength: 63 }), { maxItems: 300 }),
    /** Rows that start work as soon as they exist. */
    open: Type.Boolean(),
    rows: Count,
    ...common,
  }),
  object({
    kind: Type.Literal("file"),
    blob: Type.String({ pattern: "^[a-z]{3,8}_[0-9a-hjkmnp-tv-z]{26}$" }),
    /** The position of its bytes in the file, and whether they are the last. */
    at: Count,
    last: Type.Boolean(),
    ...common,
  }),
  object({
    kind: Type.Literal("sequences"),
    ...common,
  }),
  object({
    kind: Type.Literal("end"),
    parts: Parts,
    files: Count,
    total: Hex,
    /** Computed with a key derived from the passphrase. */
    mac: Type.Union([Hex, Type.Null()]),
    ...common,
  }),
]);
export type Head = Static<typeof Head>;

type Described<H> = H extends unknown ? Omit<H, "bytes" | "packed" | "sha256"> : never;
/** A head without the fields derived from its content. */
export type NewHead = Described<Head>;
