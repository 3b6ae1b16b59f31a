/** The settings of vector and embedding columns. */
import { Field } from "../../ui/field.tsx";
import {} from "../column/column.ts";
import type { TypeFieldsProps } from "./relation-fields.tsx";
import { CheckBox, TextInput } from "../../ui/form/controls.tsx";

export const VECTOR_TYPES: ReadonlySet<string> = new Set(["embedding", "vector"]);
const TEXTS: ReadonlySet<string> = new Set(["text", "enum", "email", "url"]);
const DIMENSIONS_MAX = 4096;

export function VectorFields(props: TypeFieldsProps) {
  return props.draft.type === "vector" ? (
    <DimensionsField {...props} />
  ) : (
    <SourceFields {...props} />
  );
}

function DimensionsField({ draft, set }: TypeFieldsProps) {
  return (
    <Field
      label="Dimensions"
      help="Enter the number of dimensions of your embedding model. Example: 384"
    >
      {(control) => (
        <TextInput
          {...control}
          type="number"
          min={2}
          max={DIMENSIONS_MAX}
          value={draft.dimensions}
          onChange={({ target }) => set({ dimensions: target.value })}
        />
      )}
    </Field>
  );
}

/** Selects the source columns. The model reads them in selection order. */
function SourceFields({ draft, set, table }: TypeFieldsProps) {
  const texts = table.columns.filter(({ type }) => TEXTS.has(type));
  const toggle = (name: string, isOn: boolean): void =>
    set({
      sources: isOn ? [...draft.sources, name] : draft.sources.filter((source) => source !== name),
    });
  return (
    <fieldset className="source-fields">
      <legend className="field-label">Text columns to embed</legend>
      {texts.length === 0 && <p className="field-help">This table has no text columns yet.</p>}
      {texts.map(({ name, title }) => (
        <label key={name} className="check-line">
          <CheckBox
            checked={draft.sources.includes(name)}
            onChange={({ target }) => toggle(name, target.checked)}
          />
          {title}
        </label>
      ))}
      <p className="field-help">
        A model on this server embeds the texts after each change. The texts do not leave the
        server.
      </p>
    </fieldset>
  );
}
