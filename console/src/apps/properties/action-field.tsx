/** The action of a button, row or form: its type, fields and follow-up actions. */
import { Plus, X } from "lucide-react";
import { type FieldProps, Form, isFields, type Schema } from "../../form/index.ts";
import type { FieldContext } from "./field-context.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

const ACTIONS: Readonly<Record<string, string>> = {
  create_record: "Create record",
  update_record: "Update record",
  delete_record: "Delete record",
  run_workflow: "Start workflow",
  navigate: "Go to page",
  create_ticket: "Create ticket",
  invoke_connector: "Call connector",
  execute_artifact: "Run artifact",
  run_query: "Run query",
  refresh: "Refresh data",
};

interface ActionFieldProps {
  readonly field: FieldProps;
  readonly ctx: FieldContext;
}

export function ActionField({ field, ctx }: ActionFieldProps) {
  return (
    <Step
      id={field.id}
      label={field.label}
      value={field.value}
      isOptional={!field.isRequired}
      isDisabled={field.isDisabled}
      ctx={ctx}
      onChange={field.onChange}
    />
  );
}

interface StepProps {
  readonly id: string;
  readonly label: string;
  readonly value: unknown;
  readonly isOptional: boolean;
  readonly isDisabled: boolean;
  readonly ctx: FieldContext;
  readonly onChange: (value: unknown) => void;
}

function Step({ id, label, value, isOptional, isDisabled, ctx, onChange }: StepProps) {
  const action = isFields(value) ? value : {};
  const type = typeof action["type"] === "string" ? action["type"] : "";
  const schema = ctx.defs[type];
  const next = Array.isArray(action["then"]) ? (action["then"] as readonly unknown[]) : [];
  // oxlint-disable-next-line unicorn/no-thenable
  const follow = (list: readonly unknown[]): void => onChange({ ...action, then: list });
  return (
    <div className="action-step">
      <Select
        id={id}
        aria-label={label}
        value={type}
        disabled={isDisabled}
        onChange={({ target }) =>
          onChange(target.value === "" ? undefined : { type: target.value })
        }
      >
        {(isOptional || type === "") && <option value="">No action</option>}
        {Object.entries(ACTIONS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </Select>
      {schema && (
        <Form
          key={type}
          schema={withoutType(schema, ctx.defs)}
          value={action}
          hasSummary={false}
          isDense
          isDisabled={isDisabled}
          draw={(field) => ctx.draw(field, { ...ctx, beside: action })}
          onChange={onChange}
        />
      )}
      {next.map((one, n) => (
        <div key={n} className="action-next">
          <span className="muted">Then</span>
          <Button
            look="bare"
            isIcon
            type="button"
            aria-label={`Remove step ${n + 2}`}
            onClick={() => follow(next.toSpliced(n, 1))}
          >
            <X />
          </Button>
          <Step
            id={`${id}-${n}`}
            label={`${label}, step ${n + 2}`}
            value={one}
            isOptional={false}
            isDisabled={isDisabled}
            ctx={ctx}
            onChange={(changed) => follow(next.toSpliced(n, 1, changed))}
          />
        </div>
      ))}
      {type !== "" && !isDisabled && (
        <Button look="bare" type="button" onClick={() => follow([...next, { type: "refresh" }])}>
          <Plus /> Add next action
        </Button>
      )}
    </div>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  workflowId: "Workflow",
  connectorId: "Connector",
  artifactId: "Artifact",
  queryId: "Query",
  message: "Success message",
  wait: "Wait until it finishes",
  path: "Or a path of this installation",
};

/** Returns the fields of an action, without its type and follow-up actions. */
function withoutType(schema: Schema, defs: Readonly<Record<string, Schema>>): Schema {
  const { type: _, then: __, ...properties } = schema.properties ?? {};
  const titled = Object.entries(properties).map(([name, field]) => [
    name,
    typeof field === "object" && TITLES[name] !== undefined
      ? { ...field, title: TITLES[name] }
      : field,
  ]);
  return {
    ...schema,
    title: "",
    properties: Object.fromEntries(titled) as NonNullable<Schema["properties"]>,
    required: (schema.required ?? []).filter((name) => name !== "type"),
    $defs: defs,
  };
}
