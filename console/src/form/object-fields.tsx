import { Fragment } from "react";
import { useForm } from "./context.ts";
import { escapeSegment, isFields } from "./pointer.ts";
import { isWanted, type Schema, settleSchema } from "./schema.ts";

interface ObjectFieldsProps {
  readonly schema: Schema;
  readonly value: unknown;
  readonly at: string;
  /** Only these fields are shown. */
  readonly only?: readonly string[] | undefined;
}

/** The fields of an object in schema order. Fields hidden by a condition are omitted. */
export function ObjectFields({ schema, value, at, only }: ObjectFieldsProps) {
  const { root, renderField } = useForm();
  const settled = settleSchema(schema, value, root);
  const names = schema["x-order"] ?? Object.keys(settled.properties ?? {});
  return names.map((name) => {
    const field = settled.properties?.[name];
    if (typeof field !== "object" || (only && !only.includes(name))) return null;
    if (!isWanted(field, name, value)) return null;
    return (
      <Fragment key={name}>
        {field["x-section"] !== undefined && <h2 className="form-section">{field["x-section"]}</h2>}
        {renderField({
          schema: field,
          value: isFields(value) ? value[name] : undefined,
          at: `${at}/${escapeSegment(name)}`,
          name,
          isRequired: settled.required?.includes(name) ?? false,
        })}
      </Fragment>
    );
  });
}
