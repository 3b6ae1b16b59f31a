import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { Form as FormOf } from "../../data/form/use-form.ts";
import { type FieldProps, Form, initialValue, isFields } from "../../form/index.ts";
import { Field } from "../../ui/field.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { nameAuthKind } from "../connector-type.ts";
import {
  authSchema,
  configSchema,
  type ConnectorDraft,
  type ConnectorType,
  isCredential,
} from "./draft.ts";
import { Select } from "../../ui/form/controls.tsx";
import { TextField } from "../../ui/form/text-field.tsx";

interface ConnectorFieldsProps {
  readonly type: ConnectorType;
  readonly form: FormOf<ConnectorDraft>;
}

/** Shows the connector fields generated from the schemas. A credential can be a secret's name. */
export function ConnectorFields({ type, form }: ConnectorFieldsProps) {
  const { values: draft, change: onChange } = form;
  const isDisabled = form.refusal !== undefined;
  const { kind, ...rest } = draft.auth;
  const schema = useMemo(() => authSchema(type, kind), [type, kind]);
  const config = useMemo(() => configSchema(type), [type]);
  const choose = (next: string): void => {
    const initial = initialValue(authSchema(type, next));
    onChange({ auth: { ...(isFields(initial) ? initial : {}), kind: next } });
  };
  return (
    <div className="con-fields">
      <TextField {...form.field("name")} />
      <Form
        schema={config}
        value={draft.config}
        onChange={(value) => isFields(value) && onChange({ config: value })}
        errors={form.errorsOf("config")}
        base="/config"
        isDense
        isDisabled={isDisabled}
        draw={drawCredential}
      />
      <fieldset className="con-auth" disabled={isDisabled}>
        <legend>Credentials</legend>
        {type.auth.length > 1 && (
          <Field label="Authentication">
            {(bound) => (
              <Select {...bound} value={kind} onChange={({ target }) => choose(target.value)}>
                {type.auth.map((one) => (
                  <option key={one.kind} value={one.kind}>
                    {nameAuthKind(one.kind)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        {kind === "none" ? (
          <p className="muted">Calls are sent without credentials.</p>
        ) : (
          <Form
            key={kind}
            schema={schema}
            value={rest}
            onChange={(value) => isFields(value) && onChange({ auth: { ...value, kind } })}
            errors={form.errorsOf("auth")}
            base="/auth"
            isDense
            isDisabled={isDisabled}
            draw={drawCredential}
          />
        )}
      </fieldset>
    </div>
  );
}

function drawCredential(props: FieldProps) {
  if (!isCredential(props.at) || typeof (props.value ?? "") !== "string") return undefined;
  return <Credential {...props} />;
}

/** The control of a credential: the name of a secret, or a new value. Values are encrypted and not shown again. */
function Credential({ id, value, label, onChange, isDisabled, describedBy, error }: FieldProps) {
  const may = useMay();
  const secrets = useOp(
    "secrets.list",
    { query: { limit: 200 } },
    { enabled: may("secrets.list") },
  );
  const options = (secrets.data?.data ?? []).map(({ name, description }) => ({
    value: `{{secrets.${name}}}`,
    label: `{{secrets.${name}}}`,
    about: description,
    group: "Secrets",
  }));
  return (
    <>
      <Combobox
        id={id}
        label={label}
        isFree
        options={options}
        value={typeof value === "string" ? value : ""}
        placeholder="Select a secret or enter the value"
        isDisabled={isDisabled}
        isInvalid={error !== undefined}
        describedBy={describedBy}
        onChange={(next) => onChange(next ?? "")}
      />
      {value === "***" && <p className="field-help">Saved. Enter a new value to replace it.</p>}
    </>
  );
}
