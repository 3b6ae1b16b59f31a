import "./secrets.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound, X } from "lucide-react";
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
import { SecretDialog } from "./secret-dialog.tsx";
import { OwnValues } from "./named-value-fields.tsx";
import { UsedIn } from "./used-in.tsx";

type Secret = Schemas["ListedSecret"];

const SHOWN = 200;

const COLUMNS: readonly Column<Secret>[] = [
  {
    id: "name",
    label: "Name",
    sortBy: ({ name }) => name,
    cell: ({ name }) => (
      <span className="row secret-name">
        <KeyRound className="ico" />
        <strong className="mono cut">{name}</strong>
      </span>
    ),
  },
  {
    id: "about",
    label: "For what",
    width: "30%",
    cell: ({ description }) => <span className="cut">{description}</span>,
  },
  {
    id: "environments",
    label: "Own values",
    width: "150px",
    cell: ({ environments, ownValuesOnly }) => (
      <OwnValues environments={environments} ownValuesOnly={ownValuesOnly} />
    ),
  },
  {
    id: "used",
    label: "Last used",
    width: "110px",
    sortBy: ({ lastUsedAt }) => lastUsedAt ?? "",
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="muted">never</span> : <Ago at={lastUsedAt} />,
  },
  {
    id: "rotated",
    label: "Changed",
    width: "110px",
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];

/** All secrets: their names, never their values. */
export function Secrets() {
  useTitle("Secrets");
  const { open } = useSearch({ from: "/inside/secrets" });
  const navigate = useNavigate();
  const may = useMay();
  const { data, error, isPending, refetch } = useOp("secrets.list", { query: { limit: SHOWN } });
  const [isNew, setNew] = useState(false);
  const reason = may("secrets:write") ? undefined : "You may not store secrets here.";
  const show = (name: string | undefined): void =>
    void navigate({ to: "/secrets", search: { open: name }, replace: true });
  const secrets = data?.data ?? [];
  useListKeys({ ids: secrets.map(({ name }) => name), chosen: open, onChoose: show });
  useActions([{ keys: "n", label: "New secret", run: () => setNew(true), disabled: reason }]);
  const chosen = secrets.find(({ name }) => name === open);
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="grow">Secrets</h1>
        <button
          className="btn main"
          disabled={reason !== undefined}
          title={reason}
          onClick={() => setNew(true)}
        >
          New secret <Keys keys="n" />
        </button>
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={8} />}
      {data && (
        <div className="secret-split">
          <Table
            label="Secrets"
            columns={COLUMNS}
            rows={secrets}
            keyOf={({ name }) => name}
            chosen={open}
            onOpen={({ name }) => show(name === open ? undefined : name)}
            empty={
              <Empty title="No secrets yet">
                Workflows, webhooks, connectors and scripts use a secret by its name. Nobody reads
                its value again, not even here.
              </Empty>
            }
          />
          {chosen && (
            <SecretSide
              key={chosen.name}
              secret={chosen}
              reason={reason}
              onClose={() => show(undefined)}
            />
          )}
        </div>
      )}
      {isNew && <SecretDialog onClose={() => setNew(false)} />}
    </div>
  );
}

/** When it was changed, and used last; undefined while that is not known. */
function Times(props: { readonly updatedAt: string; readonly usedAt: string | null | undefined }) {
  const { updatedAt, usedAt } = props;
  return (
    <p className="muted">
      It was changed <Ago at={updatedAt} />. {usedAt === null && "It was never used."}
      {typeof usedAt === "string" && (
        <>
          It was used <Ago at={usedAt} />.
        </>
      )}
    </p>
  );
}

function SecretSide(props: {
  readonly secret: Secret;
  readonly reason: string | undefined;
  readonly onClose: () => void;
}) {
  const { secret, reason, onClose } = props;
  const { name, description, updatedAt, environments, ownValuesOnly } = secret;
  const { data, error } = useOp("secrets.get_usage", { params: { name } });
  const [asked, setAsked] = useState<"rotate" | "delete" | OtherEnvironment>();
  const usage = data?.data;
  const remove = async (): Promise<void> => {
    setAsked(undefined);
    try {
      await call("secrets.delete", { params: { name } });
      notify(`${name} is deleted.`);
      onClose();
    } catch (failure) {
      notifyError(failure);
    }
    invalidate(["secrets."]);
  };
  const change = async (send: () => Promise<unknown>, said: string): Promise<void> => {
    try {
      await send();
      notify(said);
    } catch (failure) {
      notifyError(failure);
    }
    invalidate(["secrets."]);
  };
  const removeFrom = (environment: OtherEnvironment) =>
    change(
      () => call("secrets.remove_environment", { params: { name, environment } }),
      `${name} has no value of its own in ${environment} any more.`,
    );
  const keep = (isKept: boolean) =>
    change(
      () => call("secrets.update", { params: { name }, body: { ownValuesOnly: isKept } }),
      isKept
        ? `The value of ${name} stays in production.`
        : `Environments without a value of ${name} use that of production.`,
    );
  const off = { disabled: reason !== undefined, title: reason };
  return (
    <aside className="secret-side scroll" aria-label={name}>
      <header className="row">
        <h2 className="grow mono cut">{name}</h2>
        <button className="btn bare icon" aria-label="Close" onClick={onClose}>
          <X />
        </button>
      </header>
      {description !== "" && <p>{description}</p>}
      <Times updatedAt={updatedAt} usedAt={usage?.lastUsedAt} />
      <EnvironmentValues
        name={name}
        own={environments}
        ownValuesOnly={ownValuesOnly}
        shownIn={() => <span className="mono">••••••••</span>}
        reason={reason}
        onSet={(environment) => setAsked(environment ?? "rotate")}
        onRemove={(environment) => void removeFrom(environment)}
        onKeep={(isKept) => void keep(isKept)}
      />
      <CopyLine label="Refer to it as" text={`{{secrets.${name}}}`} />
      <section aria-label="Where it is used" className="section">
        <h3 className="secret-used">Where it is used</h3>
        {error && <ErrorNotice error={error} />}
        {usage && <UsedIn usedIn={usage.usedIn} />}
      </section>
      <div className="row">
        <button className="btn" {...off} onClick={() => setAsked("delete")}>
          Delete
        </button>
      </div>
      {asked !== undefined && asked !== "delete" && (
        <SecretDialog
          secret={secret}
          environment={asked === "rotate" ? undefined : asked}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "delete" && (
        <DeleteDialog
          name={name}
          usedIn={usage?.usedIn}
          unused="Nothing is known to refer to it. This can't be taken back."
          onAct={() => void remove()}
          onClose={() => setAsked(undefined)}
        />
      )}
    </aside>
  );
}
