import "../../ui/display/steps.css";
import { Plus, X } from "lucide-react";
import { CheckField, LineField, SelectField } from "../../desk-settings/index.ts";
import { type AttributeLine, KINDS } from "./attribute-model.ts";
import { Button } from "../../ui/form/button.tsx";

interface AttributeListProps {
  readonly lines: readonly AttributeLine[];
  readonly onChange: (lines: readonly AttributeLine[]) => void;
  readonly errorOf: (pointer: string) => string | undefined;
}

const NEW_LINE: AttributeLine = {
  name: "",
  kind: "text",
  isRequired: false,
  choices: "",
  schema: { type: "string" },
};

/** The attributes of a class, one in each line. */
export function AttributeList({ lines, onChange, errorOf }: AttributeListProps) {
  return (
    <section className="steps" aria-label="Attributes">
      <h3>Attributes</h3>
      <ol>
        {lines.map((line, n) => (
          <li key={n} className="step">
            <div className="attribute-line">
              <LineField
                label="Name"
                value={line.name}
                onChange={(name) => onChange(lines.with(n, { ...line, name }))}
                error={errorOf(`/attributes/properties/${line.name}`)}
              />
              <SelectField
                label="Kind"
                value={line.kind}
                options={KINDS.filter(([kind]) => kind !== "other" || line.kind === "other")}
                onChange={(kind) => onChange(lines.with(n, { ...line, kind }))}
              />
              <CheckField
                label="Required"
                isOn={line.isRequired}
                onChange={(isRequired) => onChange(lines.with(n, { ...line, isRequired }))}
              />
              <Button
                look="bare"
                isIcon
                isSmall
                type="button"
                aria-label={`Remove the attribute ${line.name}`}
                onClick={() => onChange(lines.toSpliced(n, 1))}
              >
                <X />
              </Button>
            </div>
            {line.kind === "choice" && (
              <LineField
                label="Choices, one in each line"
                value={line.choices}
                onChange={(choices) => onChange(lines.with(n, { ...line, choices }))}
                error={errorOf(`/attributes/properties/${line.name}/enum`)}
                isArea
              />
            )}
            {line.kind === "other" && (
              <pre className="mono muted attribute-schema">{JSON.stringify(line.schema)}</pre>
            )}
          </li>
        ))}
      </ol>
      <Button type="button" onClick={() => onChange([...lines, NEW_LINE])}>
        <Plus /> Add an attribute
      </Button>
    </section>
  );
}
