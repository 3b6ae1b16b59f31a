import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useCommand } from "../data/use-command.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { count, toWords } from "../ui/words.ts";
import { toBytes } from "../ui/bytes.ts";
import { Button } from "../ui/form/button.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";

type Installation = Schemas["Installation"];

const FRESH_MS = 15_000;
/** The worst status is first. */
const RANK = { failing: 0, warning: 1, ok: 2 } as const;
const STATES = { failing: "failed", warning: "warning", ok: "up" } as const;

export function Overview() {
  const { data, error, isPending, refetch } = useOp("installation.read", undefined, {
    refetchInterval: FRESH_MS,
  });
  if (isPending) return <Loading rows={10} />;
  if (!data) return error && <ErrorNotice error={error} retry={() => void refetch()} />;
  const installation = data.data;
  return (
    <>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      <Health checks={installation.health} />
      <Facts installation={installation} />
      <MaintenanceSection maintenance={installation.maintenance} />
    </>
  );
}

function Health({ checks }: { readonly checks: Installation["health"] }) {
  const worst = checks.toSorted((one, other) => RANK[one.status] - RANK[other.status]);
  const open = checks.filter(({ status }) => status !== "ok").length;
  return (
    <Section
      title="Health"
      about={
        open === 0
          ? "All is well."
          : `${count(open, "point")} of ${checks.length} ask for attention.`
      }
    >
      <ul>
        {worst.map(({ name, status, detail }) => (
          <Entry
            key={name}
            title={toWords(name)}
            about={detail}
            act={<State state={STATES[status]} label={toWords(status)} />}
          />
        ))}
      </ul>
    </Section>
  );
}

function Facts({ installation }: { readonly installation: Installation }) {
  const { version, node, database, migrations, retention } = installation;
  return (
    <Section title="Installation">
      <dl className="operation-facts">
        <Fact label="Version" value={version} about={`Node ${node.nodeVersion}`} />
        <Fact
          label="This process"
          value={toBytes(node.residentBytes)}
          about={
            <>
              {toWords(node.role)}, began <Ago at={node.startedAt} />
            </>
          }
        />
        <Fact
          label="Database"
          value={toBytes(database.bytes)}
          about={`PostgreSQL ${database.version}, ${database.isEmbedded ? "embedded" : "a server"}`}
        />
        <Fact
          label="Connections"
          value={`${database.connections} of ${database.connectionsMax}`}
          about={`Epoch ${database.epoch} of the log`}
        />
        <Fact
          label="Migrations"
          value={migrations.applied.toLocaleString("en")}
          about={
            migrations.last && (
              <>
                {migrations.last.name}, <Ago at={migrations.last.appliedAt} />
              </>
            )
          }
        />
        <Fact
          label="Workspaces"
          value={installation.workspaces.toLocaleString("en")}
          about={count(installation.people, "person", "people")}
        />
        <Fact
          label="Events are kept"
          value={toDays(retention.eventDays)}
          about={`Runs ${toDays(retention.runDays)}, deliveries ${toDays(retention.deliveryDays)}, mails ${toDays(retention.mailDays)}`}
        />
        <Fact
          label="Address"
          value={new URL(installation.baseUrl).host}
          about={installation.baseUrl}
        />
      </dl>
    </Section>
  );
}

const toDays = (days: number): string => (days === 0 ? "for ever" : count(days, "day"));

function Fact(props: {
  readonly label: string;
  readonly value: string;
  readonly about?: React.ReactNode;
}) {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd className="operation-value cut" title={props.value}>
        {props.value}
      </dd>
      {props.about && <dd className="muted">{props.about}</dd>}
    </div>
  );
}

function MaintenanceSection({ maintenance }: Pick<Installation, "maintenance">) {
  const [isAsked, setAsked] = useState(false);
  const end = useCommand("installation.set_maintenance", { said: "Maintenance has ended." });
  return (
    <Section
      title="Maintenance"
      about={
        maintenance ? (
          <>
            Since <Ago at={maintenance.since} />: changes are refused, but those of operators.{" "}
            {maintenance.message}
          </>
        ) : (
          "Everything can be changed. In maintenance people read, and changes wait; runs, deliveries and mails go on."
        )
      }
      act={
        maintenance ? (
          <CommandButton
            command={end}
            isMain
            onPress={() => void end.run({ body: { enabled: false } })}
          >
            End it
          </CommandButton>
        ) : (
          <Button onClick={() => setAsked(true)}>Start maintenance</Button>
        )
      }
    >
      {isAsked && <BeginDialog onClose={() => setAsked(false)} />}
    </Section>
  );
}

function BeginDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useForm("installation.set_maintenance", {
    fixed: { enabled: true },
    said: "Maintenance has begun.",
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title="Start maintenance" act="Start it" onClose={onClose}>
      <p>Everybody but operators is refused when they change something, and told why.</p>
      <TextField {...form.field("message")} help="What happens, and until when." />
    </FormDialog>
  );
}
