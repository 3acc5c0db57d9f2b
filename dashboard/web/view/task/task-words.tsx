/** The fields of a task's words: its title and its description. */
import type { RefObject } from "preact";
import { DraftField, Unseen, unseenId } from "../../part/draft-field.tsx";

interface WordsProps {
  /** What the ids of the fields begin with. */
  id: string;
  first: RefObject<HTMLInputElement | null>;
  title: string;
  changeTitle: (title: string) => void;
  text: string;
  changeText: (text: string) => void;
  send: () => void;
}

export const TaskWords = ({ id, first, title, changeTitle, text, changeText, send }: WordsProps) => (
  <>
    <label for={`${id}-title`}>Title</label>
    <input
      id={`${id}-title`}
      class="line"
      ref={first}
      value={title}
      aria-describedby={unseenId(`${id}-title`, title)}
      onInput={(event) => changeTitle(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        send();
      }}
    />
    <Unseen id={`${id}-title`} text={title} />
    <DraftField
      id={`${id}-text`}
      label="Description"
      text={text}
      change={changeText}
      send={send}
      placeholder="What is to be done, in Markdown"
    />
  </>
);
