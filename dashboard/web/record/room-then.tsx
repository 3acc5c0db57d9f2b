/** The parts as of an earlier moment. Nobody recorded who was here, so nothing is said of it. */
import type { AnswerOf } from "../state/server.ts";

export const RoomThen = ({ status }: { status: AnswerOf<"status"> | undefined }) => (
  <aside class="pane" aria-label="Room">
    <div class="sec">
      <h2>Room</h2>
    </div>
    <ul>
      {(status?.parts ?? []).map(({ part, main, unread, about }) => (
        <li class="part" key={part}>
          <span class="dot" aria-hidden="true" />
          <div class="grow">
            <div class="row">
              <span class="who cut">{part}</span>
              {main && <span class="t3 sm">main</span>}
              {unread > 0 && (
                <span class="badge q">
                  {unread}
                  <span class="vh"> unread</span>
                </span>
              )}
            </div>
            {about !== undefined && <div class="sm t2 cut">{about}</div>}
          </div>
          <div class="sm t3">presence unknown</div>
        </li>
      ))}
    </ul>
    <div class="sec gap">
      <h2>Waking</h2>
    </div>
    <p class="sm t3 pad">Unknown: no commit has wakes, or whether a pager ran.</p>
  </aside>
);
