import Type from "typebox";
import type { StoredDefinition } from "#kernel/contributions/stored-definition.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { Artifact, ArtifactDefinition } from "./artifact.ts";

const validator = new Validator(
  Type.Object({ detail: Artifact.properties.detail, definition: ArtifactDefinition }),
  "body",
);

/** Artifacts and their versions: the fields that forms and nodes are made of. */
export const artifactDefinitions: readonly StoredDefinition[] = [
  { table: "artifacts", key: "id" },
  { table: "artifact_versions", key: "artifact_id || ' ' || number" },
].map((about) => ({
  ...about,
  columns: "detail, definition",
  check(_services, { detail, definition }) {
    const result = validator.check({ detail, definition });
    return "errors" in result ? result.errors : [];
  },
}));
