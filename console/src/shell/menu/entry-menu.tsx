import { ArrowDown, ArrowUp, Ellipsis, EyeOff, Pin, PinOff, RotateCcw } from "lucide-react";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import { type Arrangement, hide, isOriginal, move, ORIGINAL, pin, unpin } from "./arrangement.ts";

interface EntryMenuProps {
  readonly id: string;
  readonly label: string;
  readonly arrangement: Arrangement;
  readonly onArrange: (next: Arrangement, id: string) => void;
  /** The ids of the first entries, in order. */
  readonly first: readonly string[];
}

export function EntryMenu(props: EntryMenuProps) {
  const { id, label, arrangement, onArrange, first } = props;
  const at = first.indexOf(id);
  const isPinned = arrangement.pinned.includes(id);
  const act = (name: string, icon: React.ReactNode, next: Arrangement): MenuItem => ({
    label: name,
    icon,
    onPick: () => onArrange(next, id),
  });
  const end = (isEnd: boolean, reason: string) => (isEnd ? { disabled: reason } : {});
  const items: MenuItem[] = [
    isPinned
      ? act("Unpin", <PinOff className="ico" />, unpin(arrangement, id))
      : act("Pin", <Pin className="ico" />, pin(arrangement, id)),
  ];
  if (at >= 0) {
    items.push(
      {
        ...act("Move up", <ArrowUp className="ico" />, move(arrangement, first, { id, by: -1 })),
        ...end(at === 0, "Already first."),
      },
      {
        ...act("Move down", <ArrowDown className="ico" />, move(arrangement, first, { id, by: 1 })),
        ...end(at === first.length - 1, "Already last."),
      },
      act("Hide", <EyeOff className="ico" />, hide(arrangement, id)),
    );
  }
  if (!isOriginal(arrangement)) {
    items.push({
      ...act("Reset menu", <RotateCcw className="ico" />, ORIGINAL),
      isApart: true,
    });
  }
  return (
    <span data-entry={id}>
      <Menu label={`Edit menu entry ${label}`} className="nav-more" items={items} align="start">
        <Ellipsis className="ico" />
      </Menu>
    </span>
  );
}
