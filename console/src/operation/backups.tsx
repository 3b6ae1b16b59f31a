import { useState } from "react";
import { call, type Schemas, useOp } from "../data/api.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { notify, notifyError } from "../ui/toast.tsx";
import { toBytes } from "../ui/bytes.ts";
import { Button } from "../ui/form/button.tsx";

type Backup = Schemas["Backup"];

const FRESH_MS = 3_000;

export function Backups() {
  const [deleting, setDeleting] = useState<Backup>();
  const [isBusy, setBusy] = useState(false);
  const { data, error, isPending, refetch } = useOp("installation.read_backups", undefined, {
    // A process of its own makes them, and the log of the home workspace may not be this one's.
    refetchInterval: FRESH_MS,
  });
  const backups = data?.data.backups ?? [];
  const isRunning = backups.some(
    ({ status, verification }) => status === "running" || verification === "running",
  );
  const perform = async (act: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(true);
    try {
      await act();
      notify(done);
    } catch (failure) {
      notifyError(failure);
    }
    setBusy(false);
  };
  const ids = (backup: Backup) => ({ params: { id: backup.id } });
  const reason = isRunning ? "A backup is being made or verified." : undefined;
  return (
    <Section
      title="Backups"
      about="Whole copies of the embedded database, made while everything goes on, without the master key. Keep a copy on another disk, and the key apart from it."
      act={
        <Button
          look="main"
          disabled={isBusy || isRunning}
          title={reason}
          onClick={() =>
            void perform(() => call("installation.start_backup"), "The backup is being made.")
          }
        >
          Back up now
        </Button>
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      {data && backups.length === 0 && <p className="section-empty">None was made from here.</p>}
      <ul>
        {backups.map((backup) => (
          <BackupEntry
            key={backup.id}
            backup={backup}
            reason={reason}
            onVerify={() =>
              void perform(
                () => call("installation.verify_backup", ids(backup)),
                "The backup is restored aside and read.",
              )
            }
            onDelete={() => setDeleting(backup)}
          />
        ))}
      </ul>
      {deleting && (
        <Confirm
          title={`Delete ${deleting.file}`}
          act="Delete it"
          onAct={() => {
            setDeleting(undefined);
            void perform(
              () => call("installation.delete_backup", ids(deleting)),
              `${deleting.file} is deleted.`,
            );
          }}
          onClose={() => setDeleting(undefined)}
        >
          The file goes too. This can't be taken back.
        </Confirm>
      )}
    </Section>
  );
}

const VERIFIED = { running: "Being verified", whole: "Verified", damaged: "Damaged" } as const;
const VERIFIED_STATE = { running: "running", whole: "completed", damaged: "failed" } as const;

function BackupEntry(props: {
  readonly backup: Backup;
  readonly reason: string | undefined;
  readonly onVerify: () => void;
  readonly onDelete: () => void;
}) {
  const { status, file, bytes, createdAt, error, verification, verifiedDetail } = props.backup;
  const off = { disabled: props.reason !== undefined, title: props.reason };
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
            <State state={status} label={status === "running" ? "Being made" : "Failed"} />
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
