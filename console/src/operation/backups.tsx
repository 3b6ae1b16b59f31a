import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { perform, useCommand } from "../data/use-command.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { toBytes } from "../ui/bytes.ts";
import { Button } from "../ui/form/button.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";

type Backup = Schemas["Backup"];

const FRESH_MS = 3_000;

export function Backups() {
  const [deleting, setDeleting] = useState<Backup>();
  const { data, error, isPending, refetch } = useOp("installation.read_backups", undefined, {
    // Polled because a separate process makes backups, and its events can be in another workspace's log.
    refetchInterval: FRESH_MS,
  });
  const backups = data?.data.backups ?? [];
  const isRunning = backups.some(
    ({ status, verification }) => status === "running" || verification === "running",
  );
  const ids = (backup: Backup) => ({ params: { id: backup.id } });
  const reason = isRunning ? "A backup or verification is running." : undefined;
  const start = useCommand("installation.start_backup", {
    refusal: reason,
    said: "Backup started.",
  });
  return (
    <Section
      title="Backups"
      about="Full copies of the embedded database, without the master key and without downtime. Store a copy on another disk, and the master key in a different place."
      act={
        <CommandButton command={start} isMain onPress={() => void start.run({})}>
          Back up now
        </CommandButton>
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      {data && backups.length === 0 && <p className="section-empty">No backups yet.</p>}
      <ul>
        {backups.map((backup) => (
          <BackupEntry
            key={backup.id}
            backup={backup}
            reason={reason}
            onVerify={() =>
              void perform("installation.verify_backup", ids(backup), {
                said: "Verification started. The backup is restored to a temporary database.",
              })
            }
            onDelete={() => setDeleting(backup)}
          />
        ))}
      </ul>
      {deleting && (
        <Confirm
          title={`Delete ${deleting.file}`}
          act="Delete backup"
          onAct={() => {
            setDeleting(undefined);
            void perform("installation.delete_backup", ids(deleting), {
              said: `${deleting.file} is deleted.`,
            });
          }}
          onClose={() => setDeleting(undefined)}
        >
          Deletes the backup and its file. This can't be undone.
        </Confirm>
      )}
    </Section>
  );
}

const VERIFIED = { running: "Verifying", whole: "Verified", damaged: "Damaged" } as const;
const VERIFIED_STATE = { running: "running", whole: "completed", damaged: "failed" } as const;

function BackupEntry(props: {
  readonly backup: Backup;
  readonly reason: string | undefined;
  readonly onVerify: () => void;
  readonly onDelete: () => void;
}) {
  const { status, file, bytes, createdAt, error, verification, verifiedDetail } = props.backup;
  const off = { refusal: props.reason };
  return (
    <Entry
      title={<span className="mono">{file}</span>}
      about={
        <>
          {bytes !== null && <>{toBytes(bytes)} · </>}
          <Ago at={createdAt} />
          {error !== null && <div className="operation-error">{error}</div>}
          {verifiedDetail !== null && <div>{verifiedDetail}</div>}
        </>
      }
      act={
        <>
          {status !== "made" && (
            <State state={status} label={status === "running" ? "Running" : "Failed"} />
          )}
          {verification !== null && (
            <State state={VERIFIED_STATE[verification]} label={VERIFIED[verification]} />
          )}
          {status === "made" && (
            <Button {...off} onClick={props.onVerify}>
              Verify
            </Button>
          )}
          {status !== "running" && (
            <Button {...off} onClick={props.onDelete}>
              Delete
            </Button>
          )}
        </>
      }
    />
  );
}
