import { Plus, Redo2, Save, SlidersHorizontal, Trash2, Type, Undo2 } from "lucide-react";
import { Menu } from "../../ui/overlay/menu.tsx";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

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
      <TextInput
        className="dash-name"
        aria-label="Dashboard name"
        value={name}
        onChange={({ target }) => onName(target.value)}
      />
      <span className="grow" />
      <Button
        look="bare"
        isIcon
        type="button"
        aria-label="Undo"
        disabled={!steps.canUndo}
        onClick={steps.undo}
      >
        <Undo2 />
      </Button>
      <Button
        look="bare"
        isIcon
        type="button"
        aria-label="Redo"
        disabled={!steps.canRedo}
        onClick={steps.redo}
      >
        <Redo2 />
      </Button>
      <Button look="bare" type="button" onClick={onBar}>
        <SlidersHorizontal /> <span className="wide-only">Filter bar</span>
      </Button>
      <Menu
        label="More actions"
        className="btn bare icon"
        items={[
          { label: "Add text", icon: <Type />, onPick: () => onAdd("text") },
          {
            label: "Delete dashboard",
            icon: <Trash2 />,
            isDangerous: true,
            isApart: true,
            onPick: () => onDelete(),
          },
        ]}
      >
        ···
      </Menu>
      <Button type="button" onClick={() => onAdd("report")}>
        <Plus /> Add tile
      </Button>
      <Button type="button" onClick={onClose}>
        {isChanged ? "Discard changes" : "Done"}
      </Button>
      <Button
        look="main"
        type="button"
        disabled={!isChanged || isBusy || name.trim() === ""}
        onClick={onSave}
      >
        <Save /> Save
      </Button>
    </header>
  );
}
