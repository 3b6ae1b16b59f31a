import { useOp } from "../../data/api.ts";
import { Field } from "../../ui/field.tsx";
import { typeWord } from "../column/type-icon.tsx";
import { type ColumnDraft, toColumnName, TYPES } from "./column-draft.ts";

interface ColumnFieldsProps {
  readonly draft: ColumnDraft;
  readonly onChange: (draft: ColumnDraft) => void;
  readonly ownSlug: string | undefined;
}

/** The fields of a column: those that its type has and no others. */
export function ColumnFields({ draft, onChange, ownSlug }: ColumnFieldsProps) {
  const set = (next: Partial<ColumnDraft>): void => onChange({ ...draft, ...next });
  const name = toColumnName(draft.name);
  return (
    <div className="column-fields">
      <Field
        label="Name"
        help={name === "" || name === draft.name ? undefined : `In the API: ${name}`}
      >
        {(control) => (
          <input
            {...control}
            className="field"
            value={draft.name}
            maxLength={80}
            onChange={({ target }) => set({ name: target.value })}
          />
        )}
      </Field>
      <Field label="Type">
        {(control) => (
          <select
            {...control}
            className="field"
            value={draft.type}
            onChange={({ target }) => set({ type: target.value })}
          >
            {[...new Set([...TYPES, draft.type])].map((type) => (
              <option key={type} value={type}>
                {typeWord(type)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TypeFields draft={draft} set={set} ownSlug={ownSlug} />
      <Field label="About it" isOptional>
        {(control) => (
          <input
            {...control}
            className="field"
            value={draft.description}
            onChange={({ target }) => set({ description: target.value })}
          />
        )}
      </Field>
      <div className="check-row">
        <Check
          label="A value is required"
          isOn={draft.isRequired}
          onChange={(isRequired) => set({ isRequired })}
        />
        <Check
          label="No two alike"
          isOn={draft.isUnique}
          onChange={(isUnique) => set({ isUnique })}
        />
        <Check
          label="Found and sorted fast"
          isOn={draft.isIndexed}
          onChange={(isIndexed) => set({ isIndexed })}
        />
      </div>
    </div>
  );
}

interface TypeFieldsProps {
  readonly draft: ColumnDraft;
  readonly set: (next: Partial<ColumnDraft>) => void;
  readonly ownSlug: string | undefined;
}

function TypeFields({ draft, set, ownSlug }: TypeFieldsProps) {
  const isReference = draft.type === "reference";
  const tables = useOp("tables.list", { query: { limit: 200 } }, { enabled: isReference }).data;
  if (draft.type === "enum" || draft.type === "multi_enum") {
    return (
      <Field label="Choices" help="One in each line, in their order.">
        {(control) => (
          <textarea
            {...control}
            className="field"
            rows={4}
            value={draft.values}
            onChange={({ target }) => set({ values: target.value })}
          />
        )}
      </Field>
    );
  }
  if (isReference) {
    return (
      <Field label="Refers to">
        {(control) => (
          <select
            {...control}
            className="field"
            value={draft.target}
            onChange={({ target }) => set({ target: target.value })}
          >
            <option value="users">People</option>
            {tables?.data.map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {slug === ownSlug ? `${name} (this table)` : name}
              </option>
            ))}
          </select>
        )}
      </Field>
    );
  }
  if (draft.type === "decimal") {
    return (
      <Field label="Digits after the point">
        {(control) => (
          <input
            {...control}
            className="field"
            type="number"
            min={0}
            max={10}
            value={draft.scale}
            onChange={({ target }) => set({ scale: target.value })}
          />
        )}
      </Field>
    );
  }
  if (draft.type !== "text") return null;
  return (
    <Check
      label="Several lines"
      isOn={draft.isMultiline}
      onChange={(isMultiline) => set({ isMultiline })}
    />
  );
}

function Check(props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="check-line">
      <input
        type="checkbox"
        checked={props.isOn}
        onChange={({ target }) => props.onChange(target.checked)}
      />
      {props.label}
    </label>
  );
}
