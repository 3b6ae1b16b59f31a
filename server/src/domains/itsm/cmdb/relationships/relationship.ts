import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, Time } from "#kernel/schema/schema.ts";

/**
 * Relationship types, read as `from` type `to`. `to` is the dependency: if `to` fails, `from` fails. A cluster works
 * without one of its members, but the members do not work without the cluster.
 */
export const RELATIONSHIP_TYPES = [
  "depends_on",
  "hosted_on",
  "connects_to",
  "member_of",
  "uses",
] as const;
export type RelationshipType = (typeof RELATIONSHIP_TYPES)[number];

export const RelationshipId = id("cir");

export const relationshipFields = {
  from: id("ci", "The dependent item"),
  to: id("ci", "The item that `from` depends on"),
  type: Type.Enum([...RELATIONSHIP_TYPES]),
};

export const Relationship = Type.Object(
  {
    id: RelationshipId,
    ...relationshipFields,
    createdBy: Type.String(),
    createdAt: Time,
  },
  { title: "CmdbRelationship" },
);
export type Relationship = Static<typeof Relationship>;

export const RelationshipExists = failure(
  "cmdb_relationship_exists",
  409,
  "These items already have a relationship of this type.",
  "cmdb_relationships_once",
);
