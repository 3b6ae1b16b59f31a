import "./secrets.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Variable as VariableIcon, X } from "lucide-react";
import { useState } from "react";
import { call, invalidate, type Schemas, useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { useListKeys } from "../shell/list-keys.ts";
import { useTitle } from "../shell/title.ts";
import { CopyLine } from "../ui/copy-line.tsx";
import { type Column, Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { Ago } from "../ui/time.tsx";
import { notify, notifyError } from "../ui/toast.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EnvironmentValues, type OtherEnvironment } from "./environment-values.tsx";
import { OwnValues } from "./named-value-fields.tsx";
import { UsedIn } from "./used-in.tsx";
import { VariableDialog } from "./variable-dialog.tsx";
import { toLine } from "./variable-value.ts";

type Variable = Schemas["ListedVariable"];

const SHOWN = 200;

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
    label: "Own values",
    width: "150px",
    cell: ({ environments, ownValuesOnly }) => (
      <OwnValues environments={Object.keys(environments)} ownValuesOnly={ownValuesOnly} />
    ),
  },
  {
    id: "changed",
    label: "Changed",
    width: "110px",
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];

/** All variables with their values. */
export function Variables() {
  useTitle("Variables");
  const { open } = useSearch({ from: "/inside/variables" });
  const navigate = useNavigate();
  const may = useMay();
  const { data, error, isPending, refetch } = useOp("variables.list", { query: { limit: SHOWN } });
  const [isNew, setNew] = useState(false);
  const reason = may("variables:write") ? undefined : "You may not set variables here.";
  const show = (id: string | undefined): void =>
    void navigate({ to: "/variables", search: { open: id }, replace: true });
  const variables = data?.data ?? [];
  useListKeys({ ids: variables.map(({ id }) => id), chosen: open, onChoose: show });
  useActions([{ keys: "n", label: "New variable", run: () => setNew(true), disabled: reason }]);
  const chosen = variables.find(({ id }) => id === open);
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="grow">Variables</h1>
        <button
          className="btn main"
          disabled={reason !== undefined}
          title={reason}
          onClick={() => setNew(true)}
        >
          New variable <Keys keys="n" />
        </button>
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={8} />}
      {data && (
        <div className="secret-split">
          <Table
            label="Variables"
            columns={COLUMNS}
            rows={variables}
            keyOf={({ id }) => id}
            chosen={open}
            onOpen={({ id }) => show(id === open ? undefined : id)}
            empty={
              <Empty title="No variables yet">
                Workflows and scripts read a variable by its name, such as an address that differs
                in staging. What must stay secret belongs to the secrets.
              </Empty>
            }
          />
          {chosen && (
            <VariableSide
              key={chosen.id}
              variable={chosen}
              reason={reason}
              onClose={() => show(undefined)}
            />
          )}
        </div>
      )}
      {isNew && <VariableDialog onClose={() => setNew(false)} />}
    </div>
  );
}

function VariableSide(props: {
  readonly variable: Variable;
  readonly reason: string | undefined;
  readonly onClose: () => void;
}) {
  const { variable, reason, onClose } = props;
  const { id, name, description, value, environments, ownValuesOnly } = variable;
  const { data, error } = useOp("variables.get_usage", { params: { id } });
  const [asked, setAsked] = useState<"production" | "delete" | OtherEnvironment>();
  const change = async (send: () => Promise<unknown>, said: string): Promise<boolean> => {
    try {
      await send();
      notify(said);
      return true;
    } catch (failure) {
      notifyError(failure);
      return false;
    } finally {
      invalidate(["variables."]);
    }
  };
  const remove = async (): Promise<void> => {
    setAsked(undefined);
    const send = () => call("variables.delete", { params: { id } });
    if (await change(send, `${name} is deleted.`)) onClose();
  };
  const usedIn = data?.data.usedIn;
  return (
    <aside className="secret-side scroll" aria-label={name}>
      <header className="row">
        <h2 className="grow mono cut">{name}</h2>
        <button className="btn bare icon" aria-label="Close" onClick={onClose}>
          <X />
        </button>
      </header>
      {description !== "" && <p>{description}</p>}
      <EnvironmentValues
        name={name}
        own={Object.keys(environments)}
        ownValuesOnly={ownValuesOnly}
        shownIn={(environment) => (
          <span className="mono">
            {toLine(environment === "production" ? value : environments[environment])}
          </span>
        )}
        reason={reason}
        onSet={(environment) => setAsked(environment ?? "production")}
        onRemove={(environment) =>
          void change(
            () => call("variables.remove_environment", { params: { id, environment } }),
            `${name} has no value of its own in ${environment} any more.`,
          )
        }
        onKeep={(isKept) =>
          void change(
            () => call("variables.update", { params: { id }, body: { ownValuesOnly: isKept } }),
            isKept
              ? `The value of ${name} stays in production.`
              : `Environments without a value of ${name} use that of production.`,
          )
        }
      />
      <CopyLine label="Refer to it as" text={`{{variables.${name}}}`} />
      <section aria-label="Where it is used" className="section">
        <h3 className="secret-used">Where it is used</h3>
        {error && <ErrorNotice error={error} />}
        {usedIn && <UsedIn usedIn={usedIn} />}
      </section>
      <div className="row">
        <button
          className="btn"
          disabled={reason !== undefined}
          title={reason}
          onClick={() => setAsked("delete")}
        >
          Delete
        </button>
      </div>
      {asked !== undefined && asked !== "delete" && (
        <VariableDialog
          variable={variable}
          environment={asked === "production" ? undefined : asked}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "delete" && (
        <DeleteDialog
          name={name}
          usedIn={usedIn}
          unused="Nothing is known to read it."
          onAct={() => void remove()}
          onClose={() => setAsked(undefined)}
        />
      )}
    </aside>
  );
}
