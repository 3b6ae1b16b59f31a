import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { line, nullable, text, Time } from "#kernel/schema/schema.ts";

/** Classes that exist without a declaration. They allow any attributes. */
export const BUILT_IN_CLASSES: Readonly<Record<string, string>> = {
  api: "API",
  application: "Application",
  business_service: "Business service",
  certificate: "Certificate",
  cloud_service: "Cloud service",
  cluster: "Cluster",
  computer: "Computer",
  container: "Container",
  database: "Database",
  endpoint: "Endpoint",
  firewall: "Firewall",
  load_balancer: "Load balancer",
  network: "Network",
  network_device: "Network device",
  other: "Other",
  printer: "Printer",
  router: "Router",
  server: "Server",
  service: "Service",
  software: "Software",
  storage: "Storage",
  switch: "Switch",
  virtual_machine: "Virtual machine",
};

export function isBuiltIn(name: string): boolean {
  return Object.hasOwn(BUILT_IN_CLASSES, name);
}

export const CLASSES_MAX = 500;
/** Maximum depth of class inheritance. */
export const EXTENDS_MAX = 8;

export const ClassName = Type.String({
  pattern: "^[a-z][a-z0-9_]*$",
  maxLength: 63,
  description: "Lower-case letters, digits and underscores",
});

const Schema = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'JSON Schema of type `object`, or an object with a schema for each attribute name: `{ "cpus": { "type": "integer", "minimum": 1, "required": true } }`. Supported keywords: type, enum, minimum, maximum, minLength, maxLength, minItems, maxItems, format, items, properties, required, additionalProperties',
});

export const classFields = {
  label: line(200, "Display name"),
  description: text(2_000),
  attributes: Schema,
  extends: nullable(
    Type.String({
      pattern: "^[a-z][a-z0-9_]*$",
      maxLength: 63,
      description: "The class whose attributes it inherits",
    }),
  ),
};

export const ItemClass = Type.Object(
  {
    name: ClassName,
    ...classFields,
    attributes: Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" }),
    builtIn: Type.Boolean({ description: "Whether the class is built in" }),
    createdAt: nullable(Time),
    updatedAt: nullable(Time),
  },
  { title: "CmdbClass" },
);
export type ItemClass = Static<typeof ItemClass> & { readonly revision: number };

export const ClassExists = failure(
  "cmdb_class_exists",
  409,
  "Another class has this name.",
  "cmdb_classes_name",
);
export const ClassInUse = failure(
  "cmdb_class_in_use",
  409,
  "The class still has items, or other classes extend it.",
);
export const TooManyClasses = failure(
  "too_many_cmdb_classes",
  409,
  `A workspace can have at most ${CLASSES_MAX} classes.`,
);
