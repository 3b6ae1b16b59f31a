import "../../ui/display/steps.css";
import { Plus, X } from "lucide-react";
import type { Form } from "../../data/form/use-form.ts";
import { freeField } from "../../ui/form/binding.ts";
import { Button } from "../../ui/form/button.tsx";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { type AttributeLine, type ClassDraft, KINDS } from "./attribute-model.ts";

interface AttributeListProps {
  readonly form: Form<ClassDraft>;
  readonly onChange: (lines: readonly AttributeLine[]) => void;
}

const NEW_LINE: AttributeLine = {
  name: "",
  kind: "text",
  isRequired: false,
  choices: "",
  schema: { type: "string" },
};

/** The attributes of a class, one per line. */
export function AttributeList({ form, onChange }: AttributeListProps) {
  const { lines } = form.values.attributes;
  const error = form.field("attributes").errorFor("Attributes");
  return (
    <section className="steps" aria-label="Attributes">
      <h3>Attributes</h3>
      <ol>
        {lines.map((line, n) => (
          <li key={n} className="step">
            <AttributeFields
              form={form}
              line={line}
              onChange={(next) => onChange(lines.with(n, next))}
              onRemove={() => onChange(lines.toSpliced(n, 1))}
            />
          </li>
        ))}
      </ol>
      {error !== undefined && <p className="field-error">{error}</p>}
      <Button type="button" onClick={() => onChange([...lines, NEW_LINE])}>
        <Plus /> Add attribute
      </Button>
    </section>
  );
}

interface AttributeFieldsProps {
  readonly form: Form<ClassDraft>;
  readonly line: AttributeLine;
  readonly onChange: (line: AttributeLine) => void;
  readonly onRemove: () => void;
}

function AttributeFields({ form, line, onChange, onRemove }: AttributeFieldsProps) {
  const { errorFor, isDisabled } = form.field("attributes");
  // The request body contains a schema instead of lines, so errors are assigned by attribute name.
  const bind = <K extends keyof AttributeLine>(name: K, path = "") => ({
    ...freeField<AttributeLine[K]>(name, line[name], (value) =>
      onChange({ ...line, [name]: value ?? "" }),
    ),
    errorFor: (label: string) => errorFor(label, `/properties/${line.name}${path}`),
    isDisabled,
  });
  return (
    <>
      <div className="attribute-line">
        <TextField {...bind("name")} />
        <SelectField
          {...bind("kind", "/type")}
          options={KINDS.filter(([kind]) => kind !== "other" || line.kind === "other")}
        />
        <CheckField {...bind("isRequired", "/required")} label="Required" />
        <IconButton isSmall label={`Remove attribute ${line.name}`} onPress={onRemove}>
          <X />
        </IconButton>
      </div>
      {line.kind === "choice" && (
        <TextAreaField {...bind("choices", "/enum")} label="Options, one per line" />
      )}
      {line.kind === "other" && (
        <pre className="mono muted attribute-schema">{JSON.stringify(line.schema)}</pre>
      )}
    </>
  );
}
