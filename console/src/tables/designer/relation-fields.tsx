/** The settings of reference, link, lookup and rollup columns, all with pickers. */
import { useOp } from "../../data/api.ts";
import { Field } from "../../ui/field.tsx";
import { type Column, linkTargetOf, type TableShape, targetOf } from "../column/column.ts";
import { type ColumnDraft, ROLLUPS } from "./column-draft.ts";
import { Select, TextInput } from "../../ui/form/controls.tsx";

export interface TypeFieldsProps {
  readonly draft: ColumnDraft;
  readonly set: (next: Partial<ColumnDraft>) => void;
  /** The table that contains the column. */
  readonly table: TableShape;
}

export const RELATION_TYPES: ReadonlySet<string> = new Set([
  "reference",
  "links",
  "backlinks",
  "lookup",
  "rollup",
]);

export function RelationFields({ draft, set, table }: TypeFieldsProps) {
  const tables = useOp("tables.list", { query: { limit: 200 } }).data?.data ?? [];
  const shared = { draft, set, table, tables };
  switch (draft.type) {
    case "lookup":
      return <LookupFields {...shared} />;
    case "rollup":
      return <RollupFields {...shared} />;
    case "backlinks":
      return <BacklinkFields {...shared} />;
    case "links":
      return <LinkFields {...shared} />;
    default:
      return <TargetField {...shared} hasPeople />;
  }
}

interface RelationProps extends TypeFieldsProps {
  readonly tables: readonly TableShape[];
}

function TargetField({
  draft,
  set,
  table,
  tables,
  hasPeople,
}: RelationProps & { hasPeople?: boolean }) {
  return (
    <Choose
      label={draft.type === "backlinks" ? "Table" : "Refers to"}
      value={draft.target}
      options={[
        ...(hasPeople ? [["users", "People"] as const] : []),
        ...tables.map(
          ({ slug, name }) => [slug, slug === table.slug ? `${name} (this table)` : name] as const,
        ),
      ]}
      onChange={(target) => set({ target, field: "" })}
    />
  );
}

function LinkFields(props: RelationProps) {
  const { draft, set, table } = props;
  return (
    <>
      <TargetField {...props} />
      <Field
        label="Name of the inverse column"
        isOptional
        help={`Adds a column to the other table that lists the linked records of ${table.name}. Example: Orders`}
      >
        {(control) => (
          <TextInput
            {...control}
            value={draft.inverse}
            onChange={({ target }) => set({ inverse: target.value })}
          />
        )}
      </Field>
    </>
  );
}

function BacklinkFields(props: RelationProps) {
  const { draft, set, table, tables } = props;
  const other = tables.find(({ slug }) => slug === draft.target);
  const leading = other?.columns.filter((column) => leadsTo(column, table.slug)) ?? [];
  return (
    <>
      <TargetField {...props} />
      <Choose
        label="Referring column"
        value={draft.field}
        options={leading.map(({ name, title }) => [name, title])}
        onChange={(field) => set({ field })}
      />
    </>
  );
}

const leadsTo = (column: Column, slug: string): boolean =>
  targetOf(column) === slug || (column.type === "links" && linkTargetOf(column) === slug);

function LookupFields({ draft, set, table, tables }: RelationProps) {
  const [via = "", ...rest] = draft.path.split(".");
  const references = table.columns.filter((column) => targetOf(column) !== undefined);
  const reference = references.find(({ name }) => name === via);
  const target = reference && targetOf(reference);
  const other = tables.find(({ slug }) => slug === target);
  return (
    <>
      <Choose
        label="Reference"
        value={via}
        options={references.map(({ name, title }) => [name, title])}
        onChange={(next) => set({ path: `${next}.` })}
      />
      <Choose
        label="Field to show"
        value={rest.join(".")}
        options={
          target === "users"
            ? PERSON_FIELDS
            : (other?.columns.map(({ name, title }) => [name, title]) ?? [])
        }
        onChange={(field) => set({ path: `${via}.${field}` })}
      />
    </>
  );
}

const PERSON_FIELDS: readonly (readonly [string, string])[] = [
  ["name", "Name"],
  ["email", "E-mail address"],
];

function RollupFields({ draft, set, table, tables }: RelationProps) {
  const lists = table.columns.filter((column) => linkTargetOf(column) !== undefined);
  const list = lists.find(({ name }) => name === draft.via);
  const target = list && linkTargetOf(list);
  const other = tables.find(({ slug }) => slug === target);
  return (
    <>
      <Choose
        label="Records in"
        value={draft.via}
        options={lists.map(({ name, title }) => [name, title])}
        help={lists.length === 0 ? "First add a column of type Links or Backlinks." : undefined}
        onChange={(via) => set({ via, field: "" })}
      />
      <Choose
        label="Function"
        value={draft.function}
        options={ROLLUPS}
        onChange={(name) => set({ function: name })}
      />
      {draft.function !== "count" && (
        <Choose
          label="Field"
          value={draft.field}
          options={other?.columns.map(({ name, title }) => [name, title]) ?? []}
          onChange={(field) => set({ field })}
        />
      )}
    </>
  );
}

interface ChooseProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly help?: string | undefined;
  readonly onChange: (value: string) => void;
}

function Choose({ label, value, options, help, onChange }: ChooseProps) {
  const isKnown = options.some(([own]) => own === value);
  return (
    <Field label={label} help={help}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {(!isKnown || value === "") && <option value={value}>{value || "Select…"}</option>}
          {options.map(([own, words]) => (
            <option key={own} value={own}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
