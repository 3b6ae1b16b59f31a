import { useNavigate } from "@tanstack/react-router";
import { FileJson, Package, SquarePen } from "lucide-react";
import { useMemo, useState } from "react";
import { call, type Input, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useForm } from "../../data/form/use-form.ts";
import { notify } from "../../ui/toast.tsx";
import { INTENTS, setUp } from "../../welcome/index.ts";
import { parseImported } from "./definition-file.ts";
import { type DroppedFile, NO_DEFINITION, readChosen, readDropped } from "./dropped-files.ts";
import { readN8nExport } from "./n8n/export-file.ts";
import { createDrafts, createFiles, toPlace } from "./n8n/drafts.ts";
import { N8nFolder, useFolder } from "./n8n/folder.tsx";
import { N8nImport } from "./n8n/import-report.tsx";
import { PlainButton } from "../../ui/form/button.tsx";
import { FileInput } from "../../ui/form/controls.tsx";
import type { FieldBinding } from "../../ui/form/binding.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { RadioField } from "../../ui/form/pickers/radio-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { count } from "../../ui/words.ts";

type Way = "nothing" | "example" | "import";

const WAYS = [
  ["nothing", "Blank", SquarePen],
  ["example", "From example", Package],
  ["import", "From JSON", FileJson],
] as const;

const NO_FILES: readonly DroppedFile[] = [];

interface NewDraft {
  readonly title: string;
  readonly text: string;
  readonly example: string | null;
  /** The values required by the import, by id. */
  readonly bindings: Readonly<Record<string, string>>;
}

/** Creates a workflow: empty, from an example or from an imported definition. */
export function NewWorkflow(props: {
  readonly way: Way;
  readonly onWay: (way: Way) => void;
  readonly onClose: () => void;
  /** Files that were dropped on the list. */
  readonly files: readonly DroppedFile[];
}) {
  const { way, onClose } = props;
  const navigate = useNavigate();
  const [files, setFiles] = useState(props.files);
  const several = way === "import" && isSeveral(files) ? files : NO_FILES;
  const folder = useFolder(several);
  const isFolder = several.length > 0;
  const form = useForm<"workflows.create", NewDraft, string | undefined>("workflows.create", {
    initial: {
      title: "",
      text: (props.files.length === 1 && props.files[0]?.text) || "",
      example: null,
      bindings: {},
    },
    check: ({ title, text, example }) => ({
      title: way === "nothing" && title.trim() === "" ? "is required" : undefined,
      text: way === "import" && !isFolder && text.trim() === "" ? "is required" : undefined,
      example: way === "example" && example === null ? "Select an example." : undefined,
    }),
    send: async (draft: NewDraft): Promise<string | undefined> => {
      if (isFolder) return createFiles(folder, draft.bindings);
      if (isForeign && foreign) return toPlace(await createDrafts(foreign, draft.bindings));
      return create(way, draft);
    },
    onDone: (to) => {
      if (to === undefined) return;
      onClose();
      void navigate({ to });
    },
  });
  const { text, bindings } = form.values;
  const foreign = useMemo(() => readN8nExport(text), [text]);
  const isForeign = way === "import" && !isFolder && foreign !== undefined;
  const conversion = useOp(
    "workflows.import",
    { body: { format: "n8n", workflow: foreign } } as Input<"workflows.import">,
    { enabled: isForeign },
  );
  const bind = (id: string, value: string): void =>
    form.change({ bindings: { ...bindings, [id]: value } });
  const missing =
    isForeign && !conversion.data
      ? "The definition is being converted."
      : isFolder && folder.chosen.length === 0
        ? "No file is selected."
        : undefined;
  const act = isFolder
    ? `Create ${count(folder.chosen.length, "workflow")}`
    : way === "example"
      ? "Install example"
      : "Create workflow";
  return (
    <FormDialog
      form={{ ...form, refusal: form.refusal ?? missing }}
      title="New workflow"
      act={act}
      onClose={onClose}
      isWide={isForeign || isFolder}
    >
      <Ways way={way} onWay={props.onWay} />
      {way === "nothing" && (
        <TextField
          {...form.field("title")}
          limits={NAME}
          label="Name"
          placeholder="Example: Approve an order"
        />
      )}
      {way === "example" && (
        <RadioField {...form.field("example")} label="Example" hidesLabel options={EXAMPLES} />
      )}
      {way === "import" && !isForeign && !isFolder && (
        <ImportField field={form.field("text")} onFiles={setFiles} />
      )}
      {isFolder && <N8nFolder folder={folder} bound={bindings} onBind={bind} />}
      {isForeign && conversion.data && (
        <N8nImport answer={conversion.data.data} chosen={bindings} onChoose={bind} />
      )}
      {isForeign && conversion.error && (
        <p className="new-workflow-problem" role="alert">
          {describeRefusal(conversion.error)}
        </p>
      )}
    </FormDialog>
  );
}

const NAME = { required: true, maxLength: 200 };

const EXAMPLES = INTENTS.filter(({ load }) => load).map(
  ({ id, label, about }) => [id, label, about] as const,
);

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

/** Creates the workflow and returns its address. */
async function create(way: Way, { title, text, example }: NewDraft): Promise<string> {
  if (way === "example") {
    const found = await INTENTS.find(({ id }) => id === example)?.load?.();
    if (!found) throw new Error("The example could not be loaded.");
    const { path } = await setUp(found, () => undefined);
    notify("Example installed, with sample runs.");
    return path;
  }
  const body =
    way === "import"
      ? parseImported(text)
      : { name: title.trim(), trigger: { type: "manual" }, nodes: [], edges: [] };
  const { data } = await call("workflows.create", { body } as unknown as Input<"workflows.create">);
  return `/workflows/${data.id}`;
}

/** Returns whether the files need the folder view with a report per file; a single unreadable file needs it too. */
const isSeveral = (files: readonly DroppedFile[]): boolean =>
  files.length > 1 || files.some(({ problem }) => problem !== undefined);

interface ImportFieldProps {
  readonly field: FieldBinding<string>;
  readonly onFiles: (files: readonly DroppedFile[]) => void;
}

function ImportField({ field, onFiles }: ImportFieldProps) {
  const open = async (reading: Promise<readonly DroppedFile[]>): Promise<void> => {
    const files = await reading;
    const [only] = files;
    if (isSeveral(files)) onFiles(files);
    else if (only) field.onChange(only.text);
    else notify(NO_DEFINITION);
  };
  return (
    <div
      className="new-workflow-field"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        // Prevents the list behind the dialog from handling the drop too.
        event.stopPropagation();
        void open(readDropped(event.dataTransfer));
      }}
    >
      <TextAreaField
        {...field}
        label="Definition"
        isRequired
        isMono
        rows={10}
        placeholder='{ "name": "…", "nodes": […], "edges": […] }'
      />
      <FileInput
        accept="application/json,.json"
        multiple
        aria-label="Workflow files"
        onChange={(event) => event.target.files && void open(readChosen(event.target.files))}
      />
    </div>
  );
}
