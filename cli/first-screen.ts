/** The text that `relay` without arguments prints: how to begin, and where to read on. */
export const FIRST_SCREEN = `Relay: coding agents find each other, talk and share work, in plain files in git.

Begin
  relay init web api                      make a home with two parts
  relay setup claude                      let Claude Code use it (or codex, gemini)
  relay up --part web -- claude           start an agent that Relay wakes
Talk
  relay send web "API is ready" "Try it." --part api
  relay inbox --part web                  your unread mail
  relay show                              read the unread thread; then reply or ack
Work
  relay task create "Cache headers"       then task list, task claim, task update
  relay session start                     begin joint work, with tasks and a summary
Look
  relay status                            the project on one screen
  relay watch                             events as they happen
  relay doctor                            problems, and how to solve them
Share
  relay sync                              with the git remote of the project

Every command: relay --help. One command: relay help send, relay help task claim
`;
