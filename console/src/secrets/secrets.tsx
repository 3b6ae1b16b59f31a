import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { call, type Schemas, useOp } from "../data/api.ts";
import { useRefusal } from "../data/people.ts";
import type { Column } from "../ui/display/table.tsx";
import { Ago } from "../ui/time.tsx";
import { OwnValues } from "./named-value-fields.tsx";
import { NamedValues, NamedValueSide, SHOWN } from "./named-values.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

type Secret = Schemas["ListedSecret"];

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
    label: "Description",
    width: "30%",
    cell: ({ description }) => <span className="cut">{description}</span>,
  },
  {
    id: "environments",
    label: "Environment values",
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
    label: "Updated",
    width: "110px",
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];

/** All secrets by name, without their values. */
export function Secrets() {
  const { open } = useSearch({ from: "/inside/secrets" });
  const navigate = useNavigate();
  const listed = useOp("secrets.list", { query: { limit: SHOWN } });
  const reason = useRefusal("secrets.create");
  const show = (name: string | undefined): void =>
    void navigate({ to: "/secrets", search: { open: name }, replace: true });
  return (
    <NamedValues
      title="Secrets"
      about="Passwords and keys that workflows, webhooks, connectors and scripts use by name. Values can't be shown after they are saved."
      one="secret"
      listed={listed}
      columns={COLUMNS}
      keyOf={({ name }) => name}
      open={open}
      onOpen={show}
      reason={reason}
      empty="Example: SHOP_TOKEN, which a workflow uses to read the orders of a shop."
      side={(secret) => (
        <SecretSide
          key={secret.name}
          secret={secret}
          reason={reason}
          onClose={() => show(undefined)}
        />
      )}
      create={(onClose) => <SecretDialog onClose={onClose} />}
    />
  );
}

function SecretSide(props: {
  readonly secret: Secret;
  readonly reason: string | undefined;
  readonly onClose: () => void;
}) {
  const { secret, reason, onClose } = props;
  const { name, environments } = secret;
  const { data, error } = useOp("secrets.get_usage", { params: { name } });
  return (
    <NamedValueSide
      value={secret}
      own={environments}
      reason={reason}
      shownIn={() => <span className="mono">••••••••</span>}
      reference={`{{secrets.${name}}}`}
      usage={{ usedIn: data?.data.usedIn, error }}
      usedAt={data?.data.lastUsedAt}
      unused="No known references. This can't be undone."
      operations={{
        remove: () => call("secrets.delete", { params: { name } }),
        removeFrom: (environment) =>
          call("secrets.remove_environment", { params: { name, environment } }),
        keep: (ownValuesOnly) =>
          call("secrets.update", { params: { name }, body: { ownValuesOnly } }),
      }}
      dialog={(environment, close) => (
        <SecretDialog secret={secret} environment={environment} onClose={close} />
      )}
      onClose={onClose}
    />
  );
}
