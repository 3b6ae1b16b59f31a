import { useRouterState } from "@tanstack/react-router";
import { PanelLeft, X } from "lucide-react";
import { type MouseEvent, useState } from "react";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { useModal } from "../../ui/overlay/modal.ts";
import { screenAt } from "../areas.ts";
import { useEntries } from "./area-list.tsx";
import { Entry } from "./branch.tsx";
import { MenuList } from "./menu.tsx";

const DOCK_MAX = 4;

/** The menu on narrow screens: the first entries at the bottom, and the complete menu behind the last button. */
export function Dock() {
  const { first } = useEntries();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const here = screenAt(path);
  const [isOpen, setOpen] = useState(false);
  return (
    <nav className="dock" aria-label="Main screens">
      {first.slice(0, DOCK_MAX).map(({ id, label, icon, screens }) => {
        const isHere = screens.some((screen) => screen === here);
        return (
          <Entry
            key={id}
            leaf={{ to: screens[0].to, label, icon, isHere }}
            current={isHere ? "page" : undefined}
            className="dock-item"
          />
        );
      })}
      <PlainButton
        className="dock-item"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <PanelLeft className="ico" />
        <span className="nav-label">Menu</span>
      </PlainButton>
      {isOpen && <Drawer onClose={() => setOpen(false)} />}
    </nav>
  );
}

/** The menu as a drawer on a narrow screen. It closes on navigation. */
function Drawer({ onClose }: { readonly onClose: () => void }) {
  const dialog = useModal();
  const onClick = ({ target }: MouseEvent): void => {
    const isLink = target instanceof Element && target.closest("a") !== null;
    if (isLink || target === dialog.current) onClose();
  };
  return (
    <dialog ref={dialog} className="drawer" aria-label="Menu" onClose={onClose} onClick={onClick}>
      <div className="nav-top">
        <strong className="grow">Menu</strong>
        <Button look="bare" isIcon aria-label="Close" onClick={onClose}>
          <X />
        </Button>
      </div>
      <MenuList />
    </dialog>
  );
}
