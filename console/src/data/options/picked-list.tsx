/** Editable lists of approvers, operations and permissions. */
import "../../ui/display/item-chip.css";
import "./picked-list.css";
import { listRoutes } from "@millrace/client";
import { X } from "lucide-react";
import { useMemo, useState } from "react";
import { useOp } from "../api.ts";
import { useNames } from "../names/names.ts";
import { MANAGER_OPTION } from "./approver-option.ts";
import { usePeopleSearch, useTeamSearch } from "./searches.ts";
import { useMay } from "../people.ts";
import { Field } from "../../ui/field.tsx";
import { Combobox, type ComboboxProps } from "../../ui/overlay/combobox.tsx";
import { toWords } from "../../ui/words.ts";
import { PlainButton } from "../../ui/form/button.tsx";

export interface PickedListProps {
  readonly label: string;
  readonly help: string;
  readonly error: string | undefined;
  readonly values: readonly string[];
  readonly isReader: boolean;
  readonly onChange: (values: readonly string[]) => void;
}

interface OfferProps extends PickedListProps, Pick<ComboboxProps, "options" | "search" | "isFree"> {
  readonly add: string;
  /** Returns the label of a value; codes are displayed unchanged. */
  readonly nameOf?: (value: string) => string;
}

/** The selected values, each with a remove button, and a field to add more. */
function PickedList(props: OfferProps) {
  const { label, help, error, values, isReader, onChange, add, options, nameOf } = props;
  return (
    <Field label={label} help={help} error={error}>
      {({ id }) => (
        <div className="picked-list" role="group" aria-label={label}>
          {values.map((one) => (
            <span key={one} className="item-chip" title={one}>
              <span className={nameOf ? "cut" : "cut mono"}>{nameOf?.(one) ?? one}</span>
              {!isReader && (
                <PlainButton
                  type="button"
                  aria-label={`Remove ${nameOf?.(one) ?? one}`}
                  onClick={() => onChange(values.filter((other) => other !== one))}
                >
                  <X />
                </PlainButton>
              )}
            </span>
          ))}
          {isReader && values.length === 0 && <span className="muted">None</span>}
          {!isReader && (
            <Combobox
              id={id}
              label={add}
              placeholder={`${add}…`}
              options={options.filter(({ value }) => !values.includes(value))}
              search={props.search}
              {...(props.isFree === true && { isFree: true })}
              value={undefined}
              onChange={(value) =>
                value !== undefined && value !== "" && onChange([...new Set([...values, value])])
              }
            />
          )}
        </div>
      )}
    </Field>
  );
}

interface ApproverListProps extends PickedListProps {
  /** Also offers teams and the manager. */
  readonly isWide?: boolean;
}

/** Roles and people by id; with `isWide` also teams and the manager. */
export function ApproverList({ isWide = false, ...props }: ApproverListProps) {
  const may = useMay();
  const teams = useTeamSearch();
  const nameOf = useNames();
  const [typed, setTyped] = useState("");
  const { data } = useOp("roles.list", { query: { limit: 200 } }, { enabled: may("roles.list") });
  const { options: people, search } = usePeopleSearch();
  const roles = (data?.data ?? []).map(({ id, name, builtIn }) => ({
    value: id,
    label: builtIn ? toWords(name) : name,
    group: "Role",
  }));
  const hasTyped = ({ label }: { readonly label: string }) =>
    label.toLowerCase().includes(typed.toLowerCase());
  const wide = isWide
    ? [
        ...[MANAGER_OPTION].filter(hasTyped),
        ...teams.options.map((one) => ({ ...one, group: "Team" })),
      ]
    : [];
  const found = [...wide, ...roles.filter(hasTyped)];
  return (
    <PickedList
      {...props}
      add={isWide ? "Add approver" : "Add role or person"}
      options={[...found, ...people.map((one) => ({ ...one, group: "Person" }))]}
      search={{
        ...search,
        onWords: (words) => {
          setTyped(words ?? "");
          search.onWords(words);
          if (isWide) teams.search.onWords(words);
        },
      }}
      nameOf={(one) =>
        [MANAGER_OPTION, ...roles].find(({ value }) => value === one)?.label ??
        nameOf(one) ??
        nameUnknown(one)
      }
    />
  );
}

/** A role can be given by its name instead of its id. */
const nameUnknown = (name: string): string =>
  /^(usr|rol|tem)_/.test(name) ? "Unknown user" : toWords(name);

/** Operations that change data, and groups of them. */
export function OperationList(props: PickedListProps) {
  const options = useMemo(() => {
    const acts = listRoutes().filter(([, route]) => /^[A-Z]+ \/api\//.test(route));
    const changes = acts.filter(([, route]) => !route.startsWith("GET "));
    const kinds = [...new Set(changes.map(([id]) => id.slice(0, id.indexOf("."))))];
    return [
      ...kinds.map((kind) => ({
        value: `${kind}.*`,
        label: `${kind}.*`,
        about: "All operations of this group",
      })),
      ...changes.map(([id, route]) => ({ value: id, label: id, about: route })),
    ].toSorted((one, other) => one.value.localeCompare(other.value));
  }, []);
  return <PickedList {...props} add="Add operation" options={options} />;
}

export function PermissionList(props: PickedListProps) {
  const enabled = useMay()("permissions.list");
  const { data } = useOp("permissions.list", undefined, { enabled });
  const options = (data?.data ?? []).map(({ name, summary }) => ({
    value: name,
    label: name,
    about: summary,
  }));
  return <PickedList {...props} add="Add permission" options={options} isFree={!enabled} />;
}
