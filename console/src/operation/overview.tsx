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
          ? "No problems found."
          : `${open} of ${count(checks.length, "check")} ${open === 1 ? "needs" : "need"} attention.`
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
              {toWords(node.role)}, started <Ago at={node.startedAt} />
            </>
          }
        />
        <Fact
          label="Database"
          value={toBytes(database.bytes)}
          about={`PostgreSQL ${database.version}, ${database.isEmbedded ? "embedded" : "external server"}`}
        />
        <Fact
          label="Connections"
          value={`${database.connections} of ${database.connectionsMax}`}
          about={`Log epoch ${database.epoch}`}
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
          label="Event retention"
          value={toDays(retention.eventDays)}
          about={`Runs ${toDays(retention.runDays)}, deliveries ${toDays(retention.deliveryDays)}, e-mails ${toDays(retention.mailDays)}`}
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

const toDays = (days: number): string => (days === 0 ? "unlimited" : count(days, "day"));

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
  const end = useCommand("installation.set_maintenance", { said: "Maintenance ended." });
  return (
    <Section
      title="Maintenance"
      about={
        maintenance ? (
          <>
            Since <Ago at={maintenance.since} />: only operators can make changes.{" "}
            {maintenance.message}
          </>
        ) : (
          "Off. During maintenance only operators can make changes. Other users can read. Runs, deliveries and e-mails continue."
        )
      }
      act={
        maintenance ? (
          <CommandButton
            command={end}
            isMain
            onPress={() => void end.run({ body: { enabled: false } })}
          >
            End maintenance
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
    said: "Maintenance started.",
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title="Start maintenance" act="Start maintenance" onClose={onClose}>
      <p>Only operators can make changes. Other users see your message when they try.</p>
      <TextField
        {...form.field("message")}
        help="Reason and expected end. Example: Database upgrade until 18:00"
      />
    </FormDialog>
  );
}
