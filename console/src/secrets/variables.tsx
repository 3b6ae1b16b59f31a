import { useNavigate, useSearch } from "@tanstack/react-router";
import { Variable as VariableIcon } from "lucide-react";
import { call, type Schemas, useOp } from "../data/api.ts";
import { useRefusal } from "../data/people.ts";
import type { Column } from "../ui/display/table.tsx";
import { Ago } from "../ui/time.tsx";
import { OwnValues } from "./named-value-fields.tsx";
import { NamedValues, NamedValueSide, SHOWN } from "./named-values.tsx";
import { VariableDialog } from "./variable-dialog.tsx";
import { toLine } from "./variable-value.ts";

type Variable = Schemas["ListedVariable"];

const COLUMNS: readonly Column<Variable>[] = [
  {
    id: "name",
    label: "Name",
    sortBy: ({ name }) => name,
    cell: ({ name }) => (
      <span className="row secret-name">
        <VariableIcon className="ico" />
        <strong className="mono cut">{name}</strong>
      </span>
    ),
  },
  {
    id: "value",
    label: "Value",
    width: "38%",
    cell: ({ value }) => <span className="mono cut">{toLine(value)}</span>,
  },
  {
    id: "environments",
    label: "Environment values",
    width: "150px",
    cell: ({ environments, ownValuesOnly }) => (
      <OwnValues environments={Object.keys(environments)} ownValuesOnly={ownValuesOnly} />
    ),
  },
  {
    id: "changed",
    label: "Updated",
    width: "110px",
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];

export function Variables() {
  const { open } = useSearch({ from: "/inside/variables" });
  const navigate = useNavigate();
  const listed = useOp("variables.list", { query: { limit: SHOWN } });
  const reason = useRefusal("variables.create");
  const show = (id: string | undefined): void =>
    void navigate({ to: "/variables", search: { open: id }, replace: true });
  return (
    <NamedValues
      title="Variables"
      about="Values that workflows and scripts read by name, with a different value for each environment if needed. Store passwords and keys as secrets."
      one="variable"
      listed={listed}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      open={open}
      onOpen={show}
      reason={reason}
      empty="Example: SHOP_URL, with a different address in staging and production."
      side={(variable) => (
        <VariableSide
          key={variable.id}
          variable={variable}
          reason={reason}
          onClose={() => show(undefined)}
        />
      )}
      create={(onClose) => <VariableDialog onClose={onClose} />}
    />
  );
}

function VariableSide(props: {
  readonly variable: Variable;
  readonly reason: string | undefined;
  readonly onClose: () => void;
}) {
  const { variable, reason, onClose } = props;
  const { id, name, value, environments } = variable;
  const { data, error } = useOp("variables.get_usage", { params: { id } });
  return (
    <NamedValueSide
      value={variable}
      own={Object.keys(environments)}
      reason={reason}
      shownIn={(environment) => (
        <span className="mono">
          {toLine(environment === "production" ? value : environments[environment])}
        </span>
      )}
      reference={`{{variables.${name}}}`}
      usage={{ usedIn: data?.data.usedIn, error }}
      unused="No known references."
      operations={{
        remove: () => call("variables.delete", { params: { id } }),
        removeFrom: (environment) =>
          call("variables.remove_environment", { params: { id, environment } }),
        keep: (ownValuesOnly) =>
          call("variables.update", { params: { id }, body: { ownValuesOnly } }),
      }}
      dialog={(environment, close) => (
        <VariableDialog variable={variable} environment={environment} onClose={close} />
      )}
      onClose={onClose}
    />
  );
}
