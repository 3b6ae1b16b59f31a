/** The descriptor of a pack: its schema, checks and contents. */
import semver from "semver";
import Type, { type Static } from "typebox";
import { sha256 } from "#kernel/access/crypto.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { PackArtifact } from "../artifacts/pack.ts";
import { PackId } from "./pack.ts";

export const PACK_ITEMS_MAX = 1_000;

const Ranges = (description: string) =>
  Type.Optional(Type.Record(Type.String(), line(200), { maxProperties: 100, description }));

const { key: _, name, ...artifact } = PackArtifact.properties;

export const Descriptor = object(
  {
    id: PackId,
    name: line(200),
    version: line(100, "A semantic version"),
    description: Type.Optional(text(10_000)),
    author: Type.Optional(text(200)),
    artifacts: Type.Optional(
      Type.Array(line(200), {
        maxItems: PACK_ITEMS_MAX,
        uniqueItems: true,
        description: "Ids of its artifacts. Default: all of `artifactDefinitions`",
      }),
    ),
    artifactDefinitions: Type.Optional(
      Type.Record(Type.String(), object({ ...artifact, name: Type.Optional(name) }), {
        maxProperties: PACK_ITEMS_MAX,
        description:
          "Artifacts by id. Default `name`: the id. Default `moduleKey`: the one of the pack",
      }),
    ),
    resources: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.Unknown(), { maxItems: PACK_ITEMS_MAX }), {
        description:
          "Other resources by kind: `roles`, `tables`, `queries`, `workflows`. A string `pack:<kind>/<key>` is replaced by the id of another resource of the pack",
      }),
    ),
    dependencies: Ranges("Required packs with their version ranges"),
    engines: Ranges("`millrace`: supported versions of the platform"),
  },
  { title: "PackDescriptor" },
);
export type Descriptor = Static<typeof Descriptor>;

/** Field errors that the schema does not detect. */
export function checkDescriptor(descriptor: Descriptor): FieldError[] {
  const { version, artifacts = [], artifactDefinitions = {} } = descriptor;
  const { dependencies = {}, engines = {} } = descriptor;
  const errors: FieldError[] = [];
  if (semver.valid(version) === null) {
    errors.push({ path: "/version", message: "must be a semantic version, such as 1.0.0" });
  }
  for (const [index, id] of artifacts.entries()) {
    if (Object.hasOwn(artifactDefinitions, id)) continue;
    errors.push({ path: `/artifacts/${index}`, message: "is not in artifactDefinitions" });
  }
  for (const id of Object.keys(artifactDefinitions)) {
    if (descriptor.artifacts === undefined || artifacts.includes(id)) continue;
    errors.push({ path: `/artifactDefinitions/${id}`, message: "is not in artifacts" });
  }
  for (const [field, ranges] of Object.entries({ dependencies, engines })) {
    for (const [target, range] of Object.entries(ranges)) {
      if (semver.validRange(range) !== null) continue;
      errors.push({ path: `/${field}/${target}`, message: "is not a version range" });
    }
  }
  return errors;
}

/** Lists the contents of all kinds including artifacts, each with its path in the descriptor. */
export function listContents(
  descriptor: Descriptor,
): { readonly kind: string; readonly content: unknown; readonly path: string }[] {
  const { id: packId, artifactDefinitions = {}, resources = {} } = descriptor;
  const moduleKey = packId
    .replace(/^@/, "")
    .replaceAll(/[^A-Za-z0-9_-]/g, "-")
    .slice(0, 100);
  return [
    ...Object.entries(artifactDefinitions).map(([key, definition]) => ({
      kind: "artifacts",
      content: { name: key, moduleKey, ...definition, key },
      path: `/artifactDefinitions/${key}`,
    })),
    ...Object.entries(resources).flatMap(([kind, list]) =>
      list.map((content, index) => ({ kind, content, path: `/resources/${kind}/${index}` })),
    ),
  ];
}

/** Hashes a JSON value independently of the order of its members. */
export function checksumOf(value: unknown): string {
  return sha256(JSON.stringify(sortMembers(value))).toString("hex");
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortMembers(member)]),
  );
}
