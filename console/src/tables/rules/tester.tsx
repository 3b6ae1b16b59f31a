/** Previews the table as another person or role, with the current rules, saved or not. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Check, EyeOff, X } from "lucide-react";
import { useMemo, useState } from "react";
import { call } from "../../data/api.ts";
import { useMembers } from "../../data/names/names.ts";
import { usePeopleSearch } from "../../data/options/searches.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Combobox, type ComboOption } from "../../ui/overlay/combobox.tsx";
import { filterOptions } from "../../ui/overlay/options.tsx";
import { count } from "../../ui/words.ts";
import { type GridColumn, type TableShape } from "../column/column.ts";
import { toText } from "../column/value.ts";
import type { Role } from "./rule-card.tsx";
import { ACTIONS, type Rule } from "./rule-draft.ts";

const PAUSE_MS = 300;
const ROWS = 50;

interface TesterProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly roles: readonly Role[];
  /** The unsaved rules. */
  readonly rules: readonly Rule[] | undefined;
}

export function Tester({ table, columns, roles, rules }: TesterProps) {
  const people = usePeopleSearch();
  const [who, setWho] = useState<string>();
  const [words, setWords] = useState("");
  const [person] = useMembers(useMemo(() => (who?.startsWith("usr_") ? [who] : []), [who]));
  const role = roles.find(({ id }) => id === who) ?? (person ? undefined : firstRole(roles));
  const seen = person
    ? { roles: [...person.roles], userId: person.id }
    : { roles: role ? [role.id] : [] };
  const body = useDebounced(
    JSON.stringify({ ...seen, ...(rules && { rules }), limit: ROWS }),
    PAUSE_MS,
  );
  const preview = useQuery({
    queryKey: ["records.preview", table.slug, body],
    queryFn: ({ signal }) =>
      call(
        "records.preview",
        { params: { slug: table.slug }, body: JSON.parse(body) as { roles: string[] } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    enabled: roles.length > 0,
  });
  const answer = preview.data?.data;
  const options: readonly ComboOption[] = [
    ...filterOptions(
      roles.map(({ id, name }) => ({ value: id, label: name, group: "Roles" })),
      words,
    ),
    ...people.options.map((one) => ({ ...one, group: "People" })),
  ];
  return (
    <section className="rules-tester" aria-label="View as">
      <div className="tester-head">
        <span className="tester-as">View as</span>
        <Combobox
          label="View as"
          options={options}
          search={{
            ...people.search,
            onWords(next) {
              setWords(next ?? "");
              people.search.onWords(next);
            },
          }}
          value={who ?? role?.id}
          chosen={person?.name}
          onChange={(value) => setWho(value)}
        />
        {rules && <span className="state warn">Not saved</span>}
      </div>
      {preview.error && <ErrorNotice error={preview.error} />}
      {!answer && !preview.error && <Loading rows={6} />}
      {answer && (
        <>
          <ul className="tester-acts">
            {ACTIONS.map(([action, word]) => {
              const grant = answer.actions.find((one) => one.action === action);
              return <Grant key={action} word={word} records={grant?.records ?? "none"} />;
            })}
          </ul>
          {answer.lacks.length > 0 && (
            <p className="sql-note">
              {person
                ? `The roles of ${person.name} do not`
                : `The role ${role?.name ?? ""} does not`}{" "}
              include {answer.lacks.join(" and ")}. Access rules can't grant these permissions.
            </p>
          )}
          {answer.total === 0 ? (
            <NoRecords readable={answer.actions.find(({ action }) => action === "read")?.records} />
          ) : (
            <SeenRecords {...{ answer, columns }} />
          )}
        </>
      )}
    </section>
  );
}

/** The first role that access rules apply to. */
const firstRole = (roles: readonly Role[]): Role | undefined =>
  roles.find(({ id }) => id === "viewer") ??
  roles.find(({ id }) => id !== "owner" && id !== "admin");

const WORDS = { all: "all records", some: "some records", none: "no records" } as const;

function Grant({ word, records }: { readonly word: string; readonly records: keyof typeof WORDS }) {
  return (
    <li className={records === "none" ? "muted" : undefined}>
      {records === "none" ? <X className="ico" /> : <Check className="ico" />} {word}{" "}
      {WORDS[records]}
    </li>
  );
}

/** Explains an empty list: there are no records, or this person can't see any. */
function NoRecords({ readable = "none" }: { readonly readable?: keyof typeof WORDS | undefined }) {
  if (readable === "all") return <Empty title="This table has no records" />;
  return (
    <Empty title="No visible records">
      {readable === "some"
        ? "No record matches the conditions of the rules that apply."
        : "They don't have permission to view records of this table."}
    </Empty>
  );
}

interface SeenRecordsProps {
  readonly answer: {
    readonly records: readonly Readonly<Record<string, unknown>>[];
    readonly total: number;
    readonly actions: readonly {
      readonly action: string;
      readonly fields: readonly string[] | null;
    }[];
  };
  readonly columns: readonly GridColumn[];
}

function SeenRecords({ answer, columns }: SeenRecordsProps) {
  const fields = answer.actions.find(({ action }) => action === "read")?.fields;
  const isHidden = (name: string): boolean => fields !== null && fields?.includes(name) === false;
  const shown = columns.filter(({ isSystem }) => !isSystem);
  return (
    <>
      <p className="muted">
        {count(answer.total, "record")}
        {answer.total > answer.records.length && `. The first ${answer.records.length} are shown.`}
      </p>
      <div className="tester-table scroll" tabIndex={0} role="group" aria-label="Visible records">
        <table>
          <thead>
            <tr>
              {shown.map(({ name, title }) => (
                <th key={name} scope="col" className={isHidden(name) ? "muted" : undefined}>
                  {isHidden(name) && <EyeOff className="ico" aria-label="Hidden field" />} {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answer.records.map((record) => (
              <tr key={String(record["id"])}>
                {shown.map((column) => (
                  <td key={column.name} className={isHidden(column.name) ? "veiled" : undefined}>
                    {isHidden(column.name)
                      ? ""
                      : toText(column, record[column.name], () => undefined)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
