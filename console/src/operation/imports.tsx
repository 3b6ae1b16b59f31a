import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { uploadArchive } from "../data/files/upload-archive.ts";
import { perform } from "../data/use-command.ts";
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
    // The progress of tasks is not an event, and their events may be in the log of another workspace.
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
    try {
      await uploadArchive(file, begun, { onProgress: show, signal: stop.signal });
    } catch (failure) {
      if (!stop.signal.aborted) notify(describeRefusal(failure));
    }
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
    else notify(`That file has ${toBytes(file.size)}, and this one ${toBytes(one.bytes)}.`);
  };
  const end = (one: ArchiveImport, task: "activate" | "discard"): void => {
    setConfirming(undefined);
    uploads.get(one.id)?.stop.abort();
    void perform(
      `archive_imports.${task}` as const,
      { params: { id: one.id } },
      { said: task === "activate" ? "The workspace is being activated." : "It is taken back." },
    );
  };
  return (
    <Section
      title="Imports"
      about="Whole workspaces from other installations of the same release. An owner exports one in its settings; here its archive is sent, checked, loaded and activated. An upload that breaks off goes on where it was."
      act={<FileButton label="Bring in an archive" isMain onChoose={(file) => void begin(file)} />}
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={2} />}
      {data && imports.length === 0 && <p className="section-empty">None was brought here.</p>}
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
          title={
            confirming.task === "activate" ? "Activate the workspace" : "Take the archive back"
          }
          act={confirming.task === "activate" ? "Activate it" : "Take it back"}
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
    "Its workflows, clocks and deliveries go on here from then on. Stop them where it came from first, or they happen twice.",
  discard:
    "With everything that was loaded of it. A workspace that is active already stays: only its archive goes.",
} as const;

const STATES = {
  receiving: ["pending", "Not all here"],
  received: ["pending", "Here"],
  checked: ["pending", "Checked"],
  loaded: ["paused", "Loaded, paused"],
  activated: ["completed", "Active"],
} as const;
const TASKS = {
  check: "Being checked",
  load: "Being loaded",
  activate: "Being activated",
  discard: "Being taken back",
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
              label="Sent"
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
            label={task ? TASKS[task] : upload ? "Being sent" : label}
          />
          {task === null && !upload && (
            <>
              {state === "receiving" && <FileButton label="Go on" onChoose={onGoOn} />}
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
                  Load
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
              {state === "activated" ? "Forget" : "Take back"}
            </Button>
          )}
        </>
      }
    />
  );
}
