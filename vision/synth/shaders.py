"""The fast engine's programs, as OpenGL 3.3 takes them: what `vision.synth.fast` shades with."""

VERTEX = """#version 330
in vec3 point; in vec3 normal; in vec2 uv;
uniform mat4 pose; uniform mat4 view;
out vec3 at; out vec3 facing; out vec2 where_uv;
void main() {
    vec4 world = pose * vec4(point, 1.0);
    at = world.xyz; facing = mat3(pose) * normal; where_uv = uv;
    gl_Position = view * world;
}"""

# llvmpipe runs both sides of every `if` and at least one turn of every loop: what can be left out is left out
# by the preprocessor, and the soft shadows, the dearest part, are found at half the picture's size.
SHADOW_FRAGMENT = """#version 330
in vec3 at; in vec3 facing; in vec2 where_uv;
uniform sampler2DShadow shade; uniform sampler2D depths;
uniform vec3 lamp_at[4]; uniform float lamp_radius[4];
uniform mat4 lamp_view[4]; uniform vec2 lamp_range[4]; uniform float lamp_slope[4];
uniform vec3 eye; uniform float bias;
out vec4 shown;
const vec2 NEAR[6] = vec2[](vec2(-.82,-.40), vec2(.75,-.57), vec2(.05,.93), vec2(.14,.19), vec2(-.72,.56),
    vec2(.9,.4));
const vec2 TAPS[12] = vec2[](vec2(-.94,-.30), vec2(.85,-.47), vec2(-.09,-.93), vec2(.34,.29), vec2(-.92,.36),
    vec2(-.42,-.78), vec2(-.38,.28), vec2(.87,.46), vec2(.44,-.85), vec2(.20,-.35), vec2(-.36,.85), vec2(.30,.89));

float linear_depth(float d, vec2 range) {
    return range.x * range.y / (range.y - d * (range.y - range.x));
}

float lit(int i, vec3 n) {
    vec4 p = lamp_view[i] * vec4(at + n * bias, 1.0);
    vec3 q = p.xyz / p.w * 0.5 + 0.5;
    bool outside = p.w <= 0.0 || any(lessThan(q.xy, vec2(0.01))) || any(greaterThan(q.xy, vec2(0.99)));
    float own = linear_depth(q.z, lamp_range[i]);
    vec2 tile = vec2(i % 2, i / 2) * 0.5;
    float reach = lamp_radius[i] * lamp_slope[i] / own;   // of the lamp, seen from here, over the map
    float search = clamp(reach * 0.25, 0.0012, 0.03);
    float sum = 0.0, count = 0.0;
    for (int k = 0; k < 6; k++) {
        vec2 spot = clamp(q.xy + NEAR[k] * search, 0.004, 0.996);
        float d = linear_depth(texture(depths, tile + spot * 0.5).r, lamp_range[i]);
        float before = step(d, own - bias);
        sum += d * before;
        count += before;
    }
    float blocker = count > 0.5 ? sum / count : own;
    float width = clamp(reach * (own - blocker) / blocker * 0.5, 0.0008, 0.03);
    float z = q.z - 0.00002, seen = 0.0;
    for (int k = 0; k < 12; k++)
        seen += texture(shade, vec3(tile + clamp(q.xy + TAPS[k] * width, 0.004, 0.996) * 0.5, z));
    return outside ? 1.0 : seen / 12.0;
}

void main() {
    vec3 n = normalize(facing);
    if (dot(n, eye - at) < 0.0) n = -n;
    shown = vec4(1.0);
    for (int i = 0; i < LAMPS; i++) shown[i] = lit(i, n);
}"""

FRAGMENT = """#version 330
in vec3 at; in vec3 facing; in vec2 where_uv;
uniform sampler2D picture; uniform sampler2D seen; uniform vec2 size;
uniform vec3 lamp_at[4]; uniform vec3 lamp_colour[4]; uniform float lamp_radius[4]; uniform float lamp_reach[4];
uniform vec3 eye; uniform vec3 sky; uniform vec3 ground; uniform vec3 up; uniform float exposure;
uniform vec3 balance;
uniform vec3 colour; uniform float roughness; uniform float metal; uniform float gloss; uniform float relief;
uniform float wire_level; uniform float glow;
out vec4 shown;

#ifdef TEXTURED
// Two taps along the longer axis of the pixel's footprint, at the levels around that of the shorter one: what
// anisotropic filtering between two levels does, at a quarter of the price that llvmpipe takes for it.
vec4 sharp(vec2 uv) {
    vec2 texels = vec2(textureSize(picture, 0));
    vec2 dx = dFdx(uv) * texels, dy = dFdy(uv) * texels;
    float xx = dot(dx, dx), yy = dot(dy, dy);
    vec2 way = xx > yy ? dx : dy;
    float level = 0.5 * log2(max(max(min(xx, yy), max(xx, yy) / 4.0), 1e-8));
    vec2 part = way / texels * 0.25;
    return 0.5 * (textureLod(picture, uv - part, level - 0.25) + textureLod(picture, uv + part, level + 0.25));
}
#endif

vec3 surround(vec3 d, float rough) {
    float h = dot(d, up) * 0.5 + 0.5;
    return mix(ground, sky, smoothstep(0.5 - 0.15 - 0.35 * rough, 0.5 + 0.15 + 0.35 * rough, h)) * 2.0;
}

void main() {
    vec3 n = normalize(facing), v = normalize(eye - at);
    if (dot(n, v) < 0.0) n = -n;
#ifdef TEXTURED
    vec4 texel = sharp(where_uv);
    vec3 albedo = texel.rgb * colour;
    // Mikkelsen: the gradient of the height over the surface from differences between pixels
    vec3 dx = dFdx(at), dy = dFdy(at);
    vec3 rx = cross(dy, n), ry = cross(n, dx);
    float det = dot(dx, rx);
    vec3 slope = sign(det) * relief * (dFdx(texel.a) * rx + dFdy(texel.a) * ry);
    n = normalize(abs(det) * n - slope);
    n = normalize(n - 1.05 * min(dot(n, v), 0.0) * v);
    float wire = smoothstep(wire_level - 0.08, wire_level + 0.04, texel.a);
    float steel = max(metal, wire);
    float rough = mix(roughness, min(roughness, 0.3), wire);
#else
    vec3 albedo = colour;
    float steel = metal, rough = roughness;
#endif
    albedo *= albedo * (0.2 + 0.8 * albedo);   // sRGB to linear, near enough
    vec3 f0 = mix(vec3(gloss), albedo, steel);
    float grazing = 1.0 - max(dot(n, v), 0.0);
    float fresnel = grazing * grazing * grazing * grazing * grazing * (1.0 - rough);
    vec3 sheen = f0 + (max(vec3(1.0 - rough), f0) - f0) * fresnel;
    vec3 diffuse = mix(ground, sky, dot(n, up) * 0.5 + 0.5), mirror = surround(reflect(-v, n), rough);
    float power = 2.0 / max(rough * rough * rough * rough, 0.0004);
#if LAMPS > 0
    vec4 open = texture(seen, gl_FragCoord.xy / size);
    for (int i = 0; i < LAMPS; i++) {
        vec3 to = lamp_at[i] - at;
        float far = length(to);
        vec3 l = to / far;
        float fall = lamp_reach[i] / far, widen = lamp_radius[i] / far;
        vec3 light = lamp_colour[i] * (fall * fall * max(dot(n, l), 0.0) * open[i]);
        diffuse += light;
        float p = 1.0 / (1.0 / power + 0.5 * widen * widen);
        mirror += light * (p + 2.0) / 8.0 * exp2(-1.4427 * p * (1.0 - max(dot(n, normalize(l + v)), 0.0)));
    }
#endif
    vec3 light = albedo * (1.0 - steel) * diffuse + sheen * mirror + albedo * glow;
    light *= exposure * balance;
    light = light / (1.0 + max(light - 0.75, 0.0) * 0.8);
    shown = vec4(sqrt(clamp(light, 0.0, 1.0)), 1.0);  // the rest of the way to sRGB is a table's, afterwards
}"""

DEPTH_FRAGMENT = "#version 330\nvoid main() {}"
NAME_FRAGMENT = (
    "#version 330\nuniform float name; out vec4 shown; void main() { shown = vec4(name, 0.0, 0.0, 1.0); }"
)
DEPTH_VERTEX = """#version 330
in vec3 point; uniform mat4 pose; uniform mat4 view;
void main() { vec4 world = pose * vec4(point, 1.0); gl_Position = view * world; }"""
