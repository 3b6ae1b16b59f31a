import { useNavigate } from "@tanstack/react-router";
import { FileJson, Package, SquarePen } from "lucide-react";
import { useMemo, useState } from "react";
import { call, type Input, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { type Intent, INTENTS, setUp } from "../../welcome/index.ts";
import { parseImported } from "./definition-file.ts";
import { type DroppedFile, NO_DEFINITION, readChosen, readDropped } from "./dropped-files.ts";
import { readN8nExport } from "./n8n/export-file.ts";
import { createDrafts, createFiles, toPlace } from "./n8n/drafts.ts";
import { N8nFolder, useFolder } from "./n8n/folder.tsx";
import { N8nImport } from "./n8n/import-report.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { FileInput, RadioButton, TextArea, TextInput } from "../../ui/form/controls.tsx";

type Way = "nothing" | "example" | "import";

const WAYS = [
  ["nothing", "Blank", SquarePen],
  ["example", "From example", Package],
  ["import", "From JSON", FileJson],
] as const;

const NO_FILES: readonly DroppedFile[] = [];

/** Creates a workflow: empty, from an example or from an imported definition. */
export function NewWorkflow(props: {
  readonly way: Way;
  readonly onWay: (way: Way) => void;
  readonly onClose: () => void;
  /** Files that were dropped on the list. */
  readonly files: readonly DroppedFile[];
}) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [files, setFiles] = useState(props.files);
  const [text, setText] = useState(props.files.length === 1 ? (props.files[0]?.text ?? "") : "");
  const several = props.way === "import" && isSeveral(files) ? files : NO_FILES;
  const folder = useFolder(several);
  const [bindings, setBindings] = useState<Readonly<Record<string, string>>>({});
  const [chosen, setChosen] = useState<Intent>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const foreign = useMemo(() => readN8nExport(text), [text]);
  const isFolder = several.length > 0;
  const isForeign = props.way === "import" && !isFolder && foreign !== undefined;
  const conversion = useOp(
    "workflows.import",
    { body: { format: "n8n", workflow: foreign } } as Input<"workflows.import">,
    { enabled: isForeign },
  );
  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const to = isFolder
        ? await createFiles(folder, bindings)
        : isForeign && foreign
          ? toPlace(await createDrafts(foreign, bindings))
          : await create(props.way, { name, text, chosen });
      if (to === undefined) return;
      props.onClose();
      await navigate({ to });
    } catch (error) {
      setProblem(describeRefusal(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="New workflow"
      onClose={props.onClose}
      onSubmit={() => void submit()}
      isWide={isForeign || isFolder}
      footer={
        <Button
          look="main"
          disabled={
            isBusy || (isForeign && !conversion.data) || (isFolder && folder.chosen.length === 0)
          }
        >
          {props.way === "example"
            ? "Install example"
            : isFolder
              ? `Create ${count(folder.chosen.length, "workflow")}`
              : "Create workflow"}
        </Button>
      }
    >
      <Ways way={props.way} onWay={props.onWay} />
      {props.way === "nothing" && <NameField name={name} onChange={setName} />}
      {props.way === "example" && <Examples chosen={chosen} onChoose={setChosen} />}
      {props.way === "import" && !isForeign && !isFolder && (
        <ImportField text={text} onChange={setText} onFiles={setFiles} />
      )}
      {isFolder && (
        <N8nFolder
          folder={folder}
          bound={bindings}
          onBind={(id, value) => setBindings({ ...bindings, [id]: value })}
        />
      )}
      {isForeign && conversion.data && (
        <N8nImport
          answer={conversion.data.data}
          chosen={bindings}
          onChoose={(id, value) => setBindings({ ...bindings, [id]: value })}
        />
      )}
      {isForeign && conversion.error && (
        <p className="new-workflow-problem" role="alert">
          {describeRefusal(conversion.error)}
        </p>
      )}
      {problem !== undefined && (
        <p className="new-workflow-problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

function Ways(props: { readonly way: Way; readonly onWay: (way: Way) => void }) {
  return (
    <div className="tabs new-workflow-ways" role="group" aria-label="Source">
      {WAYS.map(([way, label, Icon]) => (
        <PlainButton
          key={way}
          type="button"
          aria-pressed={way === props.way}
          onClick={() => props.onWay(way)}
        >
          <Icon className="ico" /> {label}
        </PlainButton>
      ))}
    </div>
  );
}

interface Answers {
  readonly name: string;
  readonly text: string;
  readonly chosen: Intent | undefined;
}

/** Creates the workflow and returns its address. */
async function create(way: Way, { name, text, chosen }: Answers): Promise<string> {
  if (way === "example") {
    const example = await chosen?.load?.();
    if (!example) throw new Error("Select an example.");
    const { path } = await setUp(example, () => undefined);
    notify("Example installed, with sample runs.");
    return path;
  }
  const body =
    way === "import"
      ? parseImported(text)
      : { name: name.trim(), trigger: { type: "manual" }, nodes: [], edges: [] };
  const { data } = await call("workflows.create", { body } as unknown as Input<"workflows.create">);
  return `/workflows/${data.id}`;
}

/** Returns whether the files need the folder view with a report per file; a single unreadable file needs it too. */
const isSeveral = (files: readonly DroppedFile[]): boolean =>
  files.length > 1 || files.some(({ problem }) => problem !== undefined);

function NameField(props: { readonly name: string; readonly onChange: (name: string) => void }) {
  return (
    <label className="new-workflow-field">
      Name
      <TextInput
        autoFocus
        required
        maxLength={200}
        placeholder="Example: Approve an order"
        value={props.name}
        onChange={(event) => props.onChange(event.target.value)}
      />
    </label>
  );
}

function Examples(props: {
  readonly chosen: Intent | undefined;
  readonly onChoose: (intent: Intent) => void;
}) {
  return (
    <fieldset className="new-workflow-examples">
      <legend className="hide">Example</legend>
      {INTENTS.filter(({ load }) => load).map((intent) => (
        <label key={intent.id} className="new-workflow-example">
          <RadioButton
            name="example"
            required
            checked={intent === props.chosen}
            onChange={() => props.onChoose(intent)}
          />
          <span>
            <strong>{intent.label}</strong>
            <span className="muted">{intent.about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function ImportField(props: {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onFiles: (files: readonly DroppedFile[]) => void;
}) {
  const open = async (reading: Promise<readonly DroppedFile[]>): Promise<void> => {
    const files = await reading;
    const [only] = files;
    if (isSeveral(files)) props.onFiles(files);
    else if (only) props.onChange(only.text);
    else notify(NO_DEFINITION);
  };
  return (
    <label
      className="new-workflow-field"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        // Prevents the list behind the dialog from handling the drop too.
        event.stopPropagation();
        void open(readDropped(event.dataTransfer));
      }}
    >
      Definition
      <TextArea
        isMono
        rows={10}
        autoFocus
        required
        placeholder='{ "name": "…", "nodes": […], "edges": […] }'
        value={props.text}
        onChange={(event) => props.onChange(event.target.value)}
      />
      <FileInput
        accept="application/json,.json"
        multiple
        aria-label="Workflow files"
        onChange={(event) => event.target.files && void open(readChosen(event.target.files))}
      />
    </label>
  );
}
