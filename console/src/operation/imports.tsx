import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { uploadArchive } from "../data/files/upload-archive.ts";
import { attempt, perform } from "../data/use-command.ts";
import { toBytes } from "../ui/bytes.ts";
import { Progress } from "../ui/display/progress.tsx";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { notify } from "../ui/toast.tsx";
import { count } from "../ui/words.ts";
import { FileButton } from "./file-button.tsx";
import { ImportTaskDialog } from "./import-task.tsx";
import { Button } from "../ui/form/button.tsx";

type ArchiveImport = Schemas["ArchiveImport"];

const FRESH_MS = 1_500;

/** An upload of this page: its progress, and how to cancel it. */
interface Upload {
  readonly bytes: number;
  readonly stop: AbortController;
}

/** Imports workspaces of other installations: archives are uploaded, checked, imported and activated. */
export function Imports() {
  const { data, error, isPending, refetch } = useOp("archive_imports.list", undefined, {
    // Polled because progress is not an event, and task events can be in another workspace's log.
    refetchInterval: FRESH_MS,
  });
  const [uploads, setUploads] = useState<ReadonlyMap<string, Upload>>(new Map());
  const [asking, setAsking] = useState<{ one: ArchiveImport; task: "check" | "load" }>();
  const [confirming, setConfirming] = useState<{
    one: ArchiveImport;
    task: "activate" | "discard";
  }>();
  const imports = data?.data.imports ?? [];
  const send = async (file: File, begun: ArchiveImport): Promise<void> => {
    const stop = new AbortController();
    const show = (bytes: number) =>
      setUploads((before) => new Map(before).set(begun.id, { bytes, stop }));
    show(begun.receivedBytes);
    await attempt(() =>
      uploadArchive(file, begun, { onProgress: show, signal: stop.signal }).catch(
        (error: unknown) => {
          if (!stop.signal.aborted) throw error;
        },
      ),
    );
    setUploads((before) => new Map([...before].filter(([id]) => id !== begun.id)));
  };
  const begin = (file: File) =>
    perform(
      "archive_imports.start",
      { body: { fileName: file.name, bytes: file.size } },
      { onDone: ({ data: begun }) => void send(file, begun) },
    );
  const goOn = (file: File, one: ArchiveImport): void => {
    if (file.size === one.bytes) void send(file, one);
    else
      notify(
        `The selected file has ${toBytes(file.size)}, but the upload has ${toBytes(one.bytes)}. Select the original file.`,
      );
  };
  const end = (one: ArchiveImport, task: "activate" | "discard"): void => {
    setConfirming(undefined);
    uploads.get(one.id)?.stop.abort();
    void perform(
      `archive_imports.${task}` as const,
      { params: { id: one.id } },
      { said: task === "activate" ? "Activation started." : "Import discarded." },
    );
  };
  return (
    <Section
      title="Imports"
      about="Import workspaces from other installations of the same release. The owner exports the workspace in its settings. Here you upload, check, import and activate the archive. You can resume an interrupted upload."
      act={<FileButton label="Upload archive" isMain onChoose={(file) => void begin(file)} />}
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={2} />}
      {data && imports.length === 0 && <p className="section-empty">No imports yet.</p>}
      <ul>
        {imports.map((one) => (
          <ImportEntry
            key={one.id}
            one={one}
            upload={uploads.get(one.id)}
            onGoOn={(file) => goOn(file, one)}
            onAsk={(task) => setAsking({ one, task })}
            onConfirm={(task) => setConfirming({ one, task })}
          />
        ))}
      </ul>
      {asking && <ImportTaskDialog {...asking} onClose={() => setAsking(undefined)} />}
      {confirming && (
        <Confirm
          title={confirming.task === "activate" ? "Activate workspace" : "Discard import"}
          act={confirming.task === "activate" ? "Activate workspace" : "Discard import"}
          isGentle={confirming.task === "activate"}
          onAct={() => end(confirming.one, confirming.task)}
          onClose={() => setConfirming(undefined)}
        >
          {CONFIRMED[confirming.task]}
        </Confirm>
      )}
    </Section>
  );
}

const CONFIRMED = {
  activate:
    "Its workflows, schedules and deliveries start here. Stop them in the original installation first. Otherwise they run twice.",
  discard: "Deletes the archive and the imported data. A workspace that is already active is kept.",
} as const;

const STATES = {
  receiving: ["pending", "Upload incomplete"],
  received: ["pending", "Uploaded"],
  checked: ["pending", "Checked"],
  loaded: ["paused", "Imported, paused"],
  activated: ["completed", "Active"],
} as const;
const TASKS = {
  check: "Checking",
  load: "Importing",
  activate: "Activating",
  discard: "Discarding",
} as const;

interface ImportEntryProps {
  readonly one: ArchiveImport;
  readonly upload: Upload | undefined;
  readonly onGoOn: (file: File) => void;
  readonly onAsk: (task: "check" | "load") => void;
  readonly onConfirm: (task: "activate" | "discard") => void;
}

function ImportEntry({ one, upload, onGoOn, onAsk, onConfirm }: ImportEntryProps) {
  const { state, task, error, fileName, slug, bytes, readBytes, summary, createdAt } = one;
  const [tone, label] = STATES[state];
  return (
    <Entry
      title={summary ? `${summary.workspace.name} (${slug ?? summary.workspace.slug})` : fileName}
      about={
        <>
          {summary && (
            <div>
              {count(summary.rows, "row")}, {count(summary.files, "file")},{" "}
              {summary.withSecrets ? "with secrets" : "without secrets"}, as of{" "}
              <Ago at={summary.exportedAt} />
            </div>
          )}
          {summary && (
            <>
              <span className="mono cut">{fileName}</span>
              {" · "}
            </>
          )}
          {toBytes(bytes)} · <Ago at={createdAt} />
          {error !== null && <div className="operation-error">{error}</div>}
          {upload && (
            <Progress
              label="Uploaded"
              value={upload.bytes}
              max={bytes}
              words={`${toBytes(upload.bytes)} sent`}
            />
          )}
          {(task === "check" || task === "load") && (
            <Progress
              label={TASKS[task]}
              value={readBytes}
              max={bytes}
              words={`${toBytes(readBytes)} of ${toBytes(bytes)}`}
            />
          )}
        </>
      }
      act={
        <>
          <State
            state={task ? "running" : upload ? "running" : tone}
            label={task ? TASKS[task] : upload ? "Uploading" : label}
          />
          {task === null && !upload && (
            <>
              {state === "receiving" && <FileButton label="Resume upload" onChoose={onGoOn} />}
              {(state === "received" || state === "checked") && (
                <Button
                  look={state === "received" ? "main" : undefined}
                  onClick={() => onAsk("check")}
                >
                  Check
                </Button>
              )}
              {state === "checked" && (
                <Button look="main" onClick={() => onAsk("load")}>
                  Import
                </Button>
              )}
              {state === "loaded" && (
                <Button look="main" onClick={() => onConfirm("activate")}>
                  Activate
                </Button>
              )}
            </>
          )}
          {task === null && (
            <Button onClick={() => onConfirm("discard")}>
              {state === "activated" ? "Remove from list" : "Discard"}
            </Button>
          )}
        </>
      }
    />
  );
}
