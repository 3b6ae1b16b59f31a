import { Link } from "@tanstack/react-router";
import { Bell, BookOpen, LogOut, Monitor, Moon, ScrollText, Sun, UserRound } from "lucide-react";
import type { Me } from "../../data/people.ts";
import { BASE_PATH } from "../../data/place.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { toWords } from "../../ui/words.ts";
import { signOut } from "../account.ts";
import { chooseTheme, THEMES, useTheme } from "../theme.ts";

const ICONS = { system: Monitor, light: Sun, dark: Moon };

interface AccountEntriesProps {
  readonly me: Me | undefined;
  readonly onClose: () => void;
}

export function AccountEntries({ me, onClose }: AccountEntriesProps) {
  const theme = useTheme();
  return (
    <>
      <p className="menu-head">
        <strong className="cut">{me?.user.name}</strong>
        <span className="muted cut">{me?.user.email}</span>
      </p>
      <div className="menu-apart theme-choice" role="group" aria-label="Theme">
        {THEMES.map((one) => {
          const Icon = ICONS[one];
          return (
            <PlainButton key={one} aria-pressed={one === theme} onClick={() => chooseTheme(one)}>
              <Icon className="ico" /> {toWords(one)}
            </PlainButton>
          );
        })}
      </div>
      <ul className="menu-list menu-apart">
        <li>
          <Link to="/settings/account" className="menu-item" onClick={onClose}>
            <UserRound className="ico" /> Your account
          </Link>
        </li>
        <li>
          <Link to="/settings/notifications" className="menu-item" onClick={onClose}>
            <Bell className="ico" /> E-mail and notifications
          </Link>
        </li>
        <li>
          <a className="menu-item" href={`${BASE_PATH}/guide`} target="_blank" rel="noreferrer">
            <BookOpen className="ico" /> Guides
          </a>
        </li>
        <li>
          <a className="menu-item" href={`${BASE_PATH}/docs`} target="_blank" rel="noreferrer">
            <ScrollText className="ico" /> API reference
          </a>
        </li>
      </ul>
      <ul className="menu-list menu-apart">
        <li>
          <PlainButton className="menu-item" onClick={() => void signOut()}>
            <LogOut className="ico" /> Sign out
          </PlainButton>
        </li>
      </ul>
    </>
  );
}
