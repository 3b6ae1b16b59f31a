import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { BASE_PATH, place } from "../data/place.ts";
import { perform } from "../data/use-command.ts";
import { toBytes } from "../ui/bytes.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { count } from "../ui/words.ts";
import { Button } from "../ui/form/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";

type WorkspaceExport = Schemas["WorkspaceExport"];

const FRESH_MS = 2_000;

/** Exports the whole workspace to a file for another installation. Only for owners. */
export function Exports() {
  const [isAsking, setAsking] = useState(false);
  const [deleting, setDeleting] = useState<WorkspaceExport>();
  const { data, error, isPending, refetch } = useOp("workspace_exports.list", undefined, {
    // The progress of an export is not an event.
    refetchInterval: FRESH_MS,
  });
  const exports = data?.data.exports ?? [];
  const isRunning = exports.some(({ status }) => status === "running");
  const remove = ({ id }: WorkspaceExport): void => {
    setDeleting(undefined);
    void perform("workspace_exports.delete", { params: { id } }, { said: "Export deleted." });
  };
  return (
    <Section
      title="Workspace export"
      anchor="exports"
      about="Export the whole workspace to one file: definitions, records, tickets, files and the event log of all environments. An operator can import the file into another installation."
      act={
        <Button
          refusal={isRunning ? "An export is running." : undefined}
          onClick={() => setAsking(true)}
        >
          Export workspace
        </Button>
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={1} />}
      {data && exports.length === 0 && <p className="section-empty">No exports yet.</p>}
      <ul>
        {exports.map((one) => (
          <ExportEntry key={one.id} one={one} onDelete={() => setDeleting(one)} />
        ))}
      </ul>
      {isAsking && <NewExport onClose={() => setAsking(false)} />}
      {deleting && (
        <Confirm
          title="Delete export"
          act="Delete export"
          onAct={() => remove(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          Deletes this export file. The workspace does not change.
        </Confirm>
      )}
    </Section>
  );
}

function ExportEntry(props: { readonly one: WorkspaceExport; readonly onDelete: () => void }) {
  const { id, status, withSecrets, rows, files, bytes, error, createdAt, expiresAt } = props.one;
  const address = `${BASE_PATH}/api/v1/workspace-exports/${id}/content?workspace=${encodeURIComponent(place.workspace ?? "")}`;
  return (
    <Entry
      title={
        <>
          Export from <Ago at={createdAt} />
        </>
      }
      about={
        <>
          <span className="figures">
            {count(rows, "row")}, {count(files, "file")}, {toBytes(bytes)}
          </span>
          {" · "}
          {withSecrets ? "with encrypted secrets" : "without secrets"}
          {expiresAt !== null && (
            <>
              {" · expires "}
              <Ago at={expiresAt} />
            </>
          )}
          {error !== null && <div className="export-error">{error}</div>}
        </>
      }
      act={
        <>
          {status !== "made" && (
            <State state={status} label={status === "running" ? "Exporting" : "Failed"} />
          )}
          {status === "made" && (
            <a className="btn" href={address} download>
              Download
            </a>
          )}
          {status !== "running" && <Button onClick={props.onDelete}>Delete</Button>}
        </>
      }
    />
  );
}

function NewExport({ onClose }: { readonly onClose: () => void }) {
  const form = useForm("workspace_exports.start", {
    said: "Export started.",
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title="Export workspace" act="Export" onClose={onClose}>
      <p>The file contains all data except secrets. Store it securely.</p>
      <TextField
        {...form.field("passphrase")}
        type="password"
        autoComplete="new-password"
        help="Optional. With a passphrase, the file also contains secrets and signing keys, encrypted with it. Store the passphrase: it can't be recovered."
      />
    </FormDialog>
  );
}
