import { count } from "../../ui/words.ts";
import { type TableShape } from "../column/column.ts";
import { TypeIcon, typeWord } from "../column/type-icon.tsx";
import { type DateOrder, readDay } from "../column/value.ts";
import {
  type ColumnMapping,
  FILE_TYPES,
  guessedMapping,
  putMapping,
  type SourceColumn,
  withType,
} from "./import-map.ts";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, Select, TextInput } from "../../ui/form/controls.tsx";

interface MappingTableProps {
  readonly columns: readonly SourceColumn[];
  readonly mapping: readonly ColumnMapping[];
  /** The existing table; undefined if the import creates one. */
  readonly target: TableShape | undefined;
  readonly tables: readonly TableShape[];
  readonly onChange: (mapping: readonly ColumnMapping[]) => void;
}

/** The columns of the file with sample values, and the fields that they are mapped to. */
export function MappingTable({ columns, mapping, target, tables, onChange }: MappingTableProps) {
  return (
    <div
      className="import-columns scroll"
      tabIndex={0}
      role="group"
      aria-label="Columns of the file"
    >
      <table>
        <thead>
          <tr>
            <th scope="col">Import</th>
            <th scope="col">Column in the file</th>
            <th scope="col">Examples</th>
            <th scope="col">{target ? "Field" : "Title"}</th>
            <th scope="col">Type</th>
            <th scope="col">Errors</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((guess, at) => {
            const own = mapping.find(({ column }) => column === at);
            const put = (next: ColumnMapping | undefined): void =>
              onChange(putMapping(mapping, at, next));
            return (
              <tr key={at} className={own ? undefined : "left-out"}>
                <td>
                  <CheckBox
                    aria-label={`Import ${guess.header}`}
                    checked={own !== undefined}
                    onChange={({ target: { checked } }) =>
                      put(checked ? guessedMapping(columns, at) : undefined)
                    }
                  />
                </td>
                <th scope="row">{guess.header}</th>
                <td className="muted cut">{guess.examples.slice(0, 3).join(" · ")}</td>
                <td>{own && <FieldName {...{ own, guess, target, put }} />}</td>
                <td>{own && <FieldType {...{ own, guess, target, tables, put }} />}</td>
                <td>
                  <Faults guess={guess} own={own} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly own: ColumnMapping;
  readonly guess: SourceColumn;
  readonly target: TableShape | undefined;
  readonly put: (next: ColumnMapping) => void;
}

function FieldName({ own, guess, target, put }: CellProps) {
  if (!target) {
    return (
      <TextInput
        aria-label={`Title of ${guess.header}`}
        value={own.title ?? guess.header}
        maxLength={200}
        onChange={({ target: { value } }) => put({ ...own, title: value })}
      />
    );
  }
  return (
    <Select
      aria-label={`Field for ${guess.header}`}
      value={own.field}
      onChange={({ target: { value } }) => put({ ...own, field: value })}
    >
      {!target.columns.some(({ name }) => name === own.field) && (
        <option value={own.field}>Select…</option>
      )}
      {target.columns.map(({ name, title }) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </Select>
  );
}

function FieldType({
  own,
  guess,
  target,
  tables,
  put,
}: CellProps & Pick<MappingTableProps, "tables">) {
  const column = target?.columns.find(({ name }) => name === own.field);
  const type = column?.type ?? own.type ?? "text";
  const options = column?.options ?? own.options ?? {};
  return (
    <div className="import-type">
      {column ? (
        <span>
          <TypeIcon type={type} /> {typeWord(type)}
        </span>
      ) : (
        <Select
          aria-label={`Type of ${guess.header}`}
          value={type}
          onChange={({ target: { value } }) => put(withType(own, value, guess))}
        >
          {FILE_TYPES.map((one) => (
            <option key={one} value={one}>
              {typeWord(one)}
            </option>
          ))}
        </Select>
      )}
      {!column && <Suggestion {...{ own, guess, put }} />}
      {type === "reference" && (
        <ReferenceFields
          {...{ own, guess, tables, put }}
          slug={textOf(options["table"])}
          isFixed={column !== undefined}
        />
      )}
      {(type === "date" || type === "timestamp") && guess.isAmbiguous && (
        <DateOrderField {...{ own, guess, put }} />
      )}
      {(type === "decimal" || type === "integer") && guess.isAmbiguous && (
        <Select
          aria-label={`Decimal separator in ${guess.header}`}
          value={own.decimalMark ?? "point"}
          onChange={({ target: { value } }) =>
            put({ ...own, decimalMark: value === "comma" ? "comma" : "point" })
          }
        >
          <option value="point">1,234.5</option>
          <option value="comma">1.234,5</option>
        </Select>
      )}
    </div>
  );
}

type ChoiceProps = Omit<CellProps, "target">;

/** The day and month order of ambiguous dates. Nothing is preselected, because the user must decide. */
function DateOrderField({ own, guess, put }: ChoiceProps) {
  const [example = "03/04/2026"] = guess.ambiguousExamples ?? [];
  return (
    <Select
      aria-label={`Date order in ${guess.header}`}
      value={own.dateOrder ?? ""}
      onChange={({ target: { value } }) => put({ ...own, dateOrder: value as DateOrder })}
    >
      {own.dateOrder === undefined && <option value="">{example} is…</option>}
      <option value="dmy">day first: {readDay(example, "dmy") ?? example}</option>
      <option value="mdy">month first: {readDay(example, "mdy") ?? example}</option>
    </Select>
  );
}

const CHANGES_SHOWN = 2;

/** Suggests another type, with the converted values; it is applied only if the user selects it. */
function Suggestion({ own, guess, put }: ChoiceProps) {
  const { suggestion } = guess;
  if (!suggestion) return null;
  const { type, changes, currencies, invalid, emptied, emptiedExamples } = suggestion;
  const isTaken = own.type === type;
  return (
    <span className="import-suggestion">
      {!isTaken && (
        <Button look="bare" type="button" onClick={() => put(withType(own, type, guess))}>
          Change type to {typeWord(type).toLowerCase()}
        </Button>
      )}
      <small className="muted">
        {changes
          .slice(0, CHANGES_SHOWN)
          .map(({ from, to }) => `${from} → ${to === "" ? "empty" : to}`)
          .join(", ")}
        {invalid > 0 && ` ${count(invalid, "cell")} can't be converted.`}
        {emptied > 0 && ` ${count(emptied, "cell")} will be empty: ${emptiedExamples.join(", ")}.`}
        {currencies.length > 0 && ` Currencies are removed: ${currencies.join(", ")}.`}
      </small>
    </span>
  );
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

interface ReferenceFieldsProps extends Omit<CellProps, "target"> {
  readonly tables: readonly TableShape[];
  readonly slug: string;
  /** The column and its table already exist. */
  readonly isFixed: boolean;
}

/** Selects the table and field used to look up cell texts. */
function ReferenceFields({ own, guess, tables, slug, isFixed, put }: ReferenceFieldsProps) {
  const other = tables.find((table) => table.slug === slug);
  const named = other?.columns.filter(({ type }) => type === "text" || type === "email") ?? [];
  const choose = (next: string): void => {
    const first = tables
      .find((table) => table.slug === next)
      ?.columns.find(({ type }) => type === "text")?.name;
    put({ ...own, options: { table: next }, ...(first !== undefined && { match: first }) });
  };
  return (
    <>
      {!isFixed && (
        <Select
          aria-label={`Table that ${guess.header} refers to`}
          value={slug}
          onChange={({ target: { value } }) => choose(value)}
        >
          {slug === "" && <option value="">Select a table…</option>}
          {tables.map((table) => (
            <option key={table.slug} value={table.slug}>
              {table.name}
            </option>
          ))}
        </Select>
      )}
      {other && (
        <Select
          aria-label={`Field that identifies the records of ${guess.header}`}
          value={own.match ?? ""}
          onChange={({ target: { value } }) => put({ ...own, match: value })}
        >
          {own.match === undefined && <option value="">matched by…</option>}
          {named.map(({ name, title }) => (
            <option key={name} value={name}>
              matched by {title}
            </option>
          ))}
        </Select>
      )}
    </>
  );
}

function Faults({
  guess,
  own,
}: Pick<CellProps, "guess"> & { readonly own: ColumnMapping | undefined }) {
  const { suggestion } = guess;
  const { invalid, invalidExamples } =
    suggestion && own?.type === suggestion.type ? suggestion : guess;
  const emptied = suggestion && own?.type === suggestion.type ? suggestion.emptied : 0;
  if (invalid === 0 && emptied === 0)
    return <span className="muted">{guess.empty > 0 ? `${guess.empty} empty` : ""}</span>;
  return (
    <span className="import-faults">
      {invalid > 0 && <strong>{count(invalid, "cell")}</strong>}{" "}
      <span className="muted">
        {invalidExamples
          .slice(0, 2)
          .map(({ line, value }) => `row ${line}: ${value}`)
          .join(" · ")}
      </span>
      {emptied > 0 && (
        <>
          <strong>{count(emptied, "cell")}</strong>{" "}
          <span className="muted">will be empty: {suggestion?.emptiedExamples.join(", ")}</span>
        </>
      )}
    </span>
  );
}
