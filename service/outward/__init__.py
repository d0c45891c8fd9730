"""What the service tells others by itself: webhooks, actions (lights), MQTT, and the protocol of dart tools.

`outlet` follows the numbered changes of all matches, each outlet in a thread of its own, so that a receiver that
is slow, away or wrong never touches scoring. What is sent is made by pure functions (`telling`, `darts`,
`discovery`).
"""
