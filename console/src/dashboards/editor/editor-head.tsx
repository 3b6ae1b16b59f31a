import { Plus, Redo2, Save, SlidersHorizontal, Trash2, Type, Undo2 } from "lucide-react";
import { Menu } from "../../ui/overlay/menu.tsx";

interface EditorHeadProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly steps: {
    readonly undo: () => void;
    readonly redo: () => void;
    readonly canUndo: boolean;
    readonly canRedo: boolean;
  };
  readonly isChanged: boolean;
  readonly isBusy: boolean;
  readonly onBar: () => void;
  readonly onAdd: (kind: "report" | "text") => void;
  readonly onDelete: () => void;
  readonly onClose: () => void;
  readonly onSave: () => void;
}

export function EditorHead(props: EditorHeadProps) {
  const { name, onName, steps, isChanged, isBusy } = props;
  const { onBar, onAdd, onDelete, onClose, onSave } = props;
  return (
    <header className="page-head">
      <input
        className="field dash-name"
        aria-label="Name of the dashboard"
        value={name}
        onChange={({ target }) => onName(target.value)}
      />
      <span className="grow" />
      <button
        type="button"
        className="btn bare icon"
        aria-label="Undo"
        disabled={!steps.canUndo}
        onClick={steps.undo}
      >
        <Undo2 />
      </button>
      <button
        type="button"
        className="btn bare icon"
        aria-label="Redo"
        disabled={!steps.canRedo}
        onClick={steps.redo}
      >
        <Redo2 />
      </button>
      <button type="button" className="btn bare" onClick={onBar}>
        <SlidersHorizontal /> <span className="wide-only">Filter bar</span>
      </button>
      <Menu
        label="More"
        className="btn bare icon"
        items={[
          { label: "Add a text", icon: <Type />, onPick: () => onAdd("text") },
          {
            label: "Delete the dashboard",
            icon: <Trash2 />,
            isDangerous: true,
            isApart: true,
            onPick: () => onDelete(),
          },
        ]}
      >
        ···
      </Menu>
      <button type="button" className="btn" onClick={() => onAdd("report")}>
        <Plus /> Tile
      </button>
      <button type="button" className="btn" onClick={onClose}>
        {isChanged ? "Discard" : "Done"}
      </button>
      <button
        type="button"
        className="btn main"
        disabled={!isChanged || isBusy || name.trim() === ""}
        onClick={onSave}
      >
        <Save /> Save
      </button>
    </header>
  );
}
