/** A pack as its author hands it over. */
import semver from "semver";
import Type, { type Static } from "typebox";
import { sha256 } from "#kernel/access/crypto.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { PackArtifact } from "../artifacts/pack.ts";
import { PackId } from "./pack.ts";

export const PIECES_MAX = 1_000;

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
        maxItems: PIECES_MAX,
        uniqueItems: true,
        description: "The ids of its artifacts; all of `artifactDefinitions` when absent",
      }),
    ),
    artifactDefinitions: Type.Optional(
      Type.Record(Type.String(), object({ ...artifact, name: Type.Optional(name) }), {
        maxProperties: PIECES_MAX,
        description:
          "The artifacts by their ids. `name` is the id and `moduleKey` the pack's, unless given",
      }),
    ),
    resources: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.Unknown(), { maxItems: PIECES_MAX }), {
        description:
          "What else it brings, by kind: `roles`, `tables`, `queries`, `workflows`. A string " +
          "`pack:<kind>/<key>` stands for the id of another piece of the pack",
      }),
    ),
    dependencies: Ranges("The packs that must be installed, with the ranges of their versions"),
    engines: Ranges("`millrace`: the versions of the platform that it works with"),
  },
  { title: "PackDescriptor" },
);
export type Descriptor = Static<typeof Descriptor>;

/** What is wrong with it beyond its form. */
export function faultsOf(descriptor: Descriptor): FieldError[] {
  const { version, artifacts = [], artifactDefinitions = {} } = descriptor;
  const { dependencies = {}, engines = {} } = descriptor;
  const faults: FieldError[] = [];
  if (semver.valid(version) === null) {
    faults.push({ path: "/version", message: "must be a semantic version, such as 1.0.0" });
  }
  for (const [index, id] of artifacts.entries()) {
    if (Object.hasOwn(artifactDefinitions, id)) continue;
    faults.push({ path: `/artifacts/${index}`, message: "is not among artifactDefinitions" });
  }
  for (const id of Object.keys(artifactDefinitions)) {
    if (descriptor.artifacts === undefined || artifacts.includes(id)) continue;
    faults.push({ path: `/artifactDefinitions/${id}`, message: "is not among artifacts" });
  }
  for (const [part, ranges] of Object.entries({ dependencies, engines })) {
    for (const [of, range] of Object.entries(ranges)) {
      if (semver.validRange(range) !== null) continue;
      faults.push({ path: `/${part}/${of}`, message: "is not a range of versions" });
    }
  }
  return faults;
}

/** What it brings by kind, artifacts among it, each with where it stands. */
export function contentsOf(
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

/** The same for the same JSON, in whatever order its members stand. */
export function checksumOf(value: unknown): string {
  return sha256(JSON.stringify(ordered(value))).toString("hex");
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  );
}
